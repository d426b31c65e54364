"""The part of a run that lives inside the simulator: one process forks into as many as there are mutants.

The simulator and Python are started once; each child selects its mutant in the design before time begins, or loads it
in place of the twin.
"""

from __future__ import annotations

import json
import marshal
import os
import pickle
import signal
import time
import traceback
from pathlib import Path
from typing import Any

import cocotb

from cubecast.tb.harness import session
from cubecast.tb.harness.cocotb_private import writer
from cubecast.tb.mutants.instead import Instead, patience

__all__ = ["mutants"]


class Watched(session.Session):
    """A session that notes which outputs differ, and what stands at outputs that the twin leaves open.

    Parameters
    ----------
    dut
        Handle of the top module.
    told : dict
        ``job`` of the run, and of the select input the name and width.
    number : int
        The mutant; 0: none.
    reference : list of dict, or None
        For each cycle, the open outputs of the design without mutant.
    """

    def __init__(self, dut: Any, told: dict[str, Any], number: int, reference: list[dict[str, Any]] | None) -> None:
        super().__init__(dut, told["job"])
        self.outputs: dict[str, int] = told["job"]["ports"]["outputs"]
        self.select = writer(getattr(dut, told["select"]), told["width"]) if "select" in told else None
        self.number, self.reference = number, reference
        self.differing: list[str] = []
        self.open: list[dict[str, Any]] = []
        self.telling: dict[str, set[str]] = {}
        self.unseen: tuple[int, str] | None = None

    def apply(self) -> None:
        """Select the mutant with the first inputs."""
        if self.select is not None and not self.cycle:
            self.select(self.number)
        super().apply()

    def check(self) -> dict[str, Any]:
        """Compare this cycle, and what nobody compares with what it was without the mutant."""
        try:
            expected = super().check()
        except session.Failed:
            wanted = self.history[-1][2]
            self.differing = [name for name, want in wanted.items() if want is not None and self.actual(name) != want]
            raise
        found = {name: self.read[name]() for name, want in expected.items() if want is None}
        if self.reference is None:
            self.open.append(found)
            self._tell(expected)
        elif self.unseen is None and found != self.reference[self.cycle]:
            before = self.reference[self.cycle]
            self.unseen = self.cycle, next(name for name in found if found[name] != before[name])
        return expected

    def _tell(self, expected: dict[str, Any]) -> None:
        """Keep of each output the bits among the others that say, in all cycles so far, whether it is compared."""
        asserted = {name for name, want in expected.items() if want is not None and self.actual(name) == 1}
        bits = {name for name, width in self.outputs.items() if width == 1}
        for name, want in expected.items():
            tells = asserted if want is not None else bits - asserted
            self.telling[name] = self.telling.get(name, bits - {name}) & tells


async def child(dut: Any, told: dict[str, Any], number: int, folder: Path) -> None:
    """Run one mutant to its end, write the outcome, and end the process."""
    signal.alarm(told["seconds"])
    kept = folder / "open.pickle"
    reference = pickle.loads(kept.read_bytes()) if number and "select" in told else None
    if number and "module" in told:
        code = marshal.loads((folder / f"{number}.code").read_bytes())
        Instead(told["module"], Path(told["path"]), code).put("cubecast.tb.harness", "cubecast.tb.mutants")
    one = Watched(dut, told, number, reference)
    await session.run([one], dut.clk if one.clocked else None)
    if not number:
        kept.write_bytes(pickle.dumps(one.open))
    outcome = {"cycle": one.cycle, "report": one.failure, "ports": one.differing, "unseen": one.unseen}
    if not number:
        names = sorted({name for cycle in one.open for name in cycle})
        compared = {name for name in names if any(name not in cycle for cycle in one.open)}
        outcome["open"] = {name: min(one.telling[name] if name in compared else (), default="") for name in names}
    new = folder / f"{number}.new"
    new.write_text(json.dumps(outcome))
    new.rename(folder / f"{number}.json")


@cocotb.test()
async def mutants(dut: Any) -> None:
    """Run the design without a mutant, then all mutants that the environment names, some at a time."""
    path = Path(os.environ["CUBECAST_MUTANTS"])
    told = json.loads(path.read_text())
    running: dict[int, int] = {}

    def wait() -> None:
        """Note how the next child ended that left no outcome."""
        pid, status = os.wait()
        number = running.pop(pid)
        if not (path.parent / f"{number}.json").exists():
            (path.parent / f"{number}.status").write_text(str(os.waitstatus_to_exitcode(status)))

    begun = time.monotonic()
    for number in (0, *told["numbers"]):
        # All others compare with what the design without mutant left.
        while len(running) >= told["jobs"] or 0 in running.values():
            first = 0 in running.values()
            wait()
            if first and "module" in told:
                told["seconds"] = patience(time.monotonic() - begun)
        if number and not (path.parent / "open.pickle").exists():
            break
        pid = os.fork()
        if not pid:
            try:
                await child(dut, told, number, path.parent)
            except BaseException:
                traceback.print_exc()
                os._exit(1)
            # Neither this copy of the simulator nor its parent's files are to be closed here.
            os._exit(0)
        running[pid] = number
    while running:
        wait()
