"""Runs: the mutants of a unit, each through the unit's own bench, and what is proven of those that live."""

from __future__ import annotations

import dataclasses
import importlib
import json
import multiprocessing
import re
import signal
import tempfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from itertools import chain
from pathlib import Path
from typing import Any

from cubecast.options.usage import ToolError, UsageError
from cubecast.tb.harness.builds import build
from cubecast.tb.harness.cache import digest
from cubecast.tb.harness.lockstep import Run
from cubecast.tb.harness.modules import Ports, ports_of
from cubecast.tb.harness.simulators import run as start
from cubecast.tb.mutants.netlist import OWN, SELECT, TOP, WIDTH, Mutant, difference, plant, rtlil_of, taken_out

__all__ = [
    "EQUIVALENT",
    "LIVING",
    "OUTCOMES",
    "PROOF",
    "SURROUNDINGS",
    "Plan",
    "examine",
    "named",
    "plan",
    "selected_ports",
    "through_bench",
    "units",
]

SURROUNDINGS = "surroundings"
"""What becomes of a mutant that nobody can see where its module is placed."""

OUTCOMES = {
    "killed": "an output that is compared differs, or a proof does not go through",
    "same": "no input from the reset state on makes any output differ (proven)",
    "masked": "the same, for payload while its valid or strobe is asserted (proven)",
    "parameters": "the cell is gone where the constants of other modules are known",
    SURROUNDINGS: "no inputs that the neighbours give make an output differ that they look at (proven)",
    "alive": "there are inputs, legal or not, with which outputs differ",
    "open": "the solver had no answer, or with --modules was not asked",
    "slow": "the run took too long",
}
"""What becomes of a mutant."""

EQUIVALENT = ("same", "masked", "parameters", SURROUNDINGS)

LIVING = ("alive", "open", "slow")
"""Outcomes of a mutant that is neither killed nor proven equivalent."""

OTHERS = "NEAR_END"
"""Table, beside that of all units, of further benches of some, for the same hardware with other values after reset."""

PROOF = "proof"
"""What found a mutant that a proof of its unit refutes."""

SEED = 1
"""Seed of a unit's own run, whatever mutants are chosen with: all its events happen within the limit."""

TABLES = "tests"
"""Package whose tables say with which corners and how long a unit is run; it is in a checkout only."""

ROOT = Path(__file__).resolve().parents[2]

SLOW = -signal.SIGALRM


@dataclasses.dataclass(frozen=True)
class Plan:
    """A unit at a corner, with its bench: ``unit`` is ``<system>/<unit>``; ``others`` are runs of its other benches."""

    unit: str
    corner: str
    run: Run
    others: tuple[Run, ...] = ()

    @property
    def sources(self) -> str:
        """A digest of bench and twin, so that a record of others does not count."""
        names = [self.run.bench.stimulus.__module__, self.run.bench.twin.partition(":")[0]]
        files = [Path(str(importlib.import_module(name).__file__)) for name in names]
        job = self.run.job("verilator")
        return digest(*(file.read_text() for file in files), *(job[key] for key in ("config", "extra", "options")))


def units() -> dict[str, tuple[Any, Any]]:
    """Return every unit, ``<system>/<unit>``, with the line of its lockstep runs and the configurations by name.

    Raises
    ------
    UsageError
        This is not a checkout.
    """
    found = {}
    for path in sorted((ROOT / TABLES).glob("*/test_lockstep.py")):
        try:
            module = importlib.import_module(f"{TABLES}.{path.parent.name}.test_lockstep")
        except ModuleNotFoundError as error:
            raise UsageError(f"mutants must be run in the root of a checkout after make setup: {error}") from None
        for unit, line in getattr(module, "TABLE", {}).items():
            found[f"{path.parent.name}/{unit}"] = line, vars(module).get("CONFIGS") or module.CORNERS
    if not found:
        raise UsageError(f"mutants must be run in a checkout, which has {str(ROOT / TABLES)!r}")
    return found


def named(words: Sequence[str], known: Sequence[str]) -> list[str]:
    """Return the units that words name: ``packet/cam``, ``packet.cam``, ``cam`` if one has it, ``packet`` for all.

    Raises
    ------
    UsageError
        There is none, or there are several.
    """
    found = []
    for word in words:
        name = word.replace(".", "/")
        fitting = [unit for unit in known if name in (unit, unit.partition("/")[0])]
        if not fitting:
            fitting = [unit for unit in known if unit.partition("/")[2] == name]
            if len(fitting) != 1:
                allowed = ", ".join(fitting) or "a unit such as packet/cam or cam, or a system such as packet"
                raise UsageError(f"unit must be {'one of ' if fitting else ''}{allowed}, not {word!r}")
        found += fitting
    return list(dict.fromkeys(found))


def plan(unit: str, line: Any, configs: Any, corners: int) -> Iterator[Plan]:
    """Yield a unit at the first corners of its line."""
    table = importlib.import_module(f"{TABLES}.harness.table")
    system, _, name = unit.partition("/")
    other = getattr(importlib.import_module(f"{TABLES}.{system}.test_lockstep"), OTHERS, {}).get(name)
    for corner in line.corners[:corners]:
        others = other and corner in other.corners and table.runs_of(system, name, other, configs, (corner,), seed=SEED)
        for run in table.runs_of(system, name, line, configs, (corner,), seed=SEED):
            yield Plan(unit, table.name_of(corner), run, tuple(others or ()))


def examine(
    asked: Plan,
    count: int,
    seed: int,
    *,
    jobs: int,
    seconds: int,
    known: Mapping[str, dict[str, Any]],
    say: Callable[[str], None],
    whole: bool = True,
    own: bool = False,
    seeds: int = 1,
) -> Iterator[dict[str, Any]]:
    """Yield what became of each mutant of a unit, as plain values: known ones, killed ones, the others.

    Parameters
    ----------
    asked : Plan
        The unit.
    count, seed : int
        How many mutants, and what chooses them.
    jobs : int
        How many run at a time.
    seconds : int
        How long the solver may take for one.
    known : dict
        Mutants examined before, by key; they are yielded as they are.
    say : function
        Takes a line of progress.
    whole : bool
        Ask the solver of the whole unit where the module that the mutant is in does not answer.
    own : bool
        Plant in the unit's own module only.
    seeds : int
        What lives is run with more seeds than that of the run, until it has had so many.

    Raises
    ------
    ToolError
        A tool failed, or the unit without mutant does not pass its bench.
    """
    run = asked.run
    text = rtlil_of(run.bench.component, run.config, run.extra)
    with tempfile.TemporaryDirectory(prefix="cubecast-") as scratch:
        folder = Path(scratch)
        mutants, verilog = plant(text, count, seed, folder, own=own)
        about = digest(_plain(text), asked.sources, run.seed, run.cycles)
        keys = {mutant.number: digest(about, mutant.what) for mutant in mutants}
        earlier = {mutant.number: known[keys[mutant.number]] for mutant in mutants if keys[mutant.number] in known}
        left = [mutant for mutant in mutants if mutant.number not in earlier]
        again = {number: line.get("seeds", 1) for number, line in earlier.items() if line["outcome"] in LIVING}
        new = {number for number in again if asked.others and seeds > 1 and "others" not in earlier[number]}
        again = {number: had for number, had in again.items() if had < seeds or number in new}
        yield from (line for number, line in earlier.items() if number not in again)
        if not left and not again:
            return
        modules = _without_functions(verilog)
        ports = selected_ports(modules)
        told: dict[str, Any] = {"select": SELECT, "width": WIDTH, "jobs": jobs}
        results: dict[int, dict[str, Any]] = {}
        hidden: dict[str, str] = {}
        if left:
            say(f"{asked.unit} at {asked.corner}: {len(left)} mutants, up to {run.cycles:,} cycles each")
            results, hidden = through_bench(
                asked, verilog, ports, told | {"numbers": [mutant.number for mutant in left]}, folder
            )
        alive = again | {mutant.number: 1 for mutant in left if results[mutant.number]["outcome"] == "alive"}
        found = _with_other_seeds(asked, verilog, ports, told, folder, alive, seeds, say)
        for other in asked.others if seeds > 1 else ():
            left_over = [number for number in alive if number not in found]
            found |= _on_another_bench(asked, other, count, seed, mutants, left_over, told, folder, own=own, say=say)
        had = {} if seeds == 1 else {"seeds": seeds, **({"others": len(asked.others)} if asked.others else {})}
        for number in again:
            yield {**earlier[number], **had, **found.get(number, {})}
        results |= {number: result for number, result in found.items() if number not in again}
        results |= {number: results[number] | had for number in alive if number in results}
        dead = [mutant for mutant in left if results[mutant.number]["outcome"] != "alive"]
        others = [mutant for mutant in left if mutant not in dead]
        several = len(re.findall(r"^module ", modules, re.M)) > 1
        in_top = several and any(mutant.module == TOP for mutant in others)
        alone = taken_out(folder) if in_top else ""
        inner = [_inner(modules, alone, mutant.module) for mutant in others]
        # A unit that places nothing is a module itself.
        rest = (ports if whole or not several else None, hidden, folder, seconds)
        asking: list[Question] = [(mutant, *where, *rest) for mutant, where in zip(others, inner, strict=True)]
        judged = _all_judged(asking, jobs)
        for mutant, more in chain(((mutant, {}) for mutant in dead), zip(others, judged, strict=True)):
            yield {
                "unit": asked.unit,
                "corner": asked.corner,
                "mutant": mutant.what,
                "sources": list(mutant.sources),
                **results[mutant.number],
                **more,
                "key": keys[mutant.number],
            }


def _with_other_seeds(
    asked: Plan,
    verilog: str,
    ports: Ports,
    told: Mapping[str, Any],
    folder: Path,
    alive: Mapping[int, int],
    seeds: int,
    say: Callable[[str], None],
) -> dict[int, dict[str, Any]]:
    """Run what lives with more seeds; return what that finds, with the seed.

    ``alive``: how many seeds each has had; the other arguments are those of :func:`examine` and :func:`through_bench`.
    """
    found: dict[int, dict[str, Any]] = {}
    for more in range(1, seeds):
        numbers = [number for number, had in alive.items() if had <= more and number not in found]
        if not numbers:
            continue
        # Not all events happen with every seed within the limit.
        run = dataclasses.replace(asked.run, seed=asked.run.seed + more, require_events=False)
        other = dataclasses.replace(asked, run=run)
        say(f"{asked.unit} at {asked.corner}: {len(numbers)} mutants again, seed {other.run.seed}")
        place = folder / f"seed {other.run.seed}"
        place.mkdir()
        results, _ = through_bench(other, verilog, ports, {**told, "numbers": numbers}, place)
        for number, result in results.items():
            if result["outcome"] == "killed":
                found[number] = result | {"found": other.run.seed}
    return found


def _on_another_bench(
    asked: Plan,
    other: Run,
    count: int,
    seed: int,
    mutants: Sequence[Mutant],
    numbers: Sequence[int],
    told: Mapping[str, Any],
    folder: Path,
    *,
    own: bool,
    say: Callable[[str], None],
) -> dict[int, dict[str, Any]]:
    """Run what lives on another bench of the unit; return what that finds.

    Parameters
    ----------
    asked, count, seed, told, folder, own, say
        Those of :func:`examine` and :func:`through_bench`.
    other : Run
        A run of the other bench.
    mutants : sequence of Mutant
        All mutants of the unit.
    numbers : sequence of int
        Those that live.

    Raises
    ------
    ToolError
        With other values after reset the unit is not the same hardware.
    """
    if not numbers:
        return {}
    say(f"{asked.unit} at {asked.corner}: {len(numbers)} mutants on another bench")
    place = folder / "other"
    place.mkdir()
    text = rtlil_of(other.bench.component, other.config, other.extra, other.bench.presets)
    same, verilog = plant(text, count, seed, place, own=own)
    if [mutant.what for mutant in same] != [mutant.what for mutant in mutants]:
        raise ToolError(f"{asked.unit} at {asked.corner} is not the same hardware with other values after reset")
    plan, ports = dataclasses.replace(asked, run=other), selected_ports(verilog)
    results, _ = through_bench(plan, verilog, ports, {**told, "numbers": list(numbers)}, place)
    return {number: result | {"found": OTHERS} for number, result in results.items() if result["outcome"] == "killed"}


def _without_functions(verilog: str) -> str:
    """Return a design without the functions that Yosys writes, which have inputs too."""
    return re.sub(r"^  function .*?^  endfunction$", "", verilog, flags=re.M | re.S)


def selected_ports(verilog: str, module: str = TOP) -> Ports:
    """Return the ports of a module of a design with mutants, but for what selects one."""
    ports = ports_of(_without_functions(verilog), module)
    ports.inputs.pop(SELECT)
    return ports


def _inner(modules: str, alone: str, module: str) -> tuple[str, Ports | None]:
    """Return a module and its ports, None if it is the whole unit; ``alone`` is its own one without what it places."""
    if module != TOP:
        return module, selected_ports(modules, module)
    if not alone:
        return module, None
    ports = selected_ports(alone)
    outputs = {name: width for name, width in ports.outputs.items() if not name.endswith(SELECT)}
    return module, ports._replace(outputs=outputs)


def _plain(rtlil: str) -> str:
    """Return a netlist without the lines of Python, which move when nothing else does."""
    return re.sub(r"^\s*attribute \\src .*\n", "", rtlil, flags=re.M)


def through_bench(
    asked: Plan, verilog: str, ports: Ports, told: Mapping[str, Any], folder: Path
) -> tuple[dict[int, dict[str, Any]], dict[str, str]]:
    """Run mutants through the bench; return the outcome of each, and the outputs that are not always compared.

    Of these each has the output of one bit that is asserted in exactly the cycles in which it is compared, if any.

    Parameters
    ----------
    asked : Plan
        The unit.
    verilog, ports : str, Ports
        Its design.
    told : dict
        ``numbers`` of the mutants, how many ``jobs`` at a time; ``select`` and ``width`` of the input that selects one
        in the design, or ``module`` and ``path`` of the twin that each is in place of, by its code in ``folder``/runs.
    folder : Path
        Where the simulation works.

    Raises
    ------
    ToolError
        The unit does not pass its bench without a mutant, or the simulator failed.
    """
    built = build(verilog, TOP, "verilator")
    runs = folder / "runs"
    runs.mkdir(exist_ok=True)
    numbers = told["numbers"]
    job = asked.run.job("verilator") | {"ports": ports._asdict(), "prefix": ""}
    (runs / "job.json").write_text(json.dumps({"job": job, "seconds": 600, **told}))
    ran = start(
        built,
        TOP,
        "verilator",
        "cubecast.tb.mutants.session",
        folder=runs,
        seed=asked.run.seed,
        env={"CUBECAST_MUTANTS": str(runs / "job.json")},
        timeout=600.0 * (1 + len(numbers)),
    )
    original = runs / "0.json"
    first: dict[str, Any] = json.loads(original.read_text()) if original.exists() else {"report": ran.log[-2000:]}
    if first["report"]:
        raise ToolError(f"{asked.unit} at {asked.corner} does not pass its bench without a mutant:\n{first['report']}")
    return {number: _outcome(runs, number) for number in numbers}, first["open"]


def _outcome(runs: Path, number: int) -> dict[str, Any]:
    """Return what a child of the simulation left."""
    file = runs / f"{number}.json"
    if not file.exists():
        status = int((runs / f"{number}.status").read_text())
        return {"outcome": "slow"} if status == SLOW else {"outcome": "killed", "by": f"simulator's status {status}"}
    result = json.loads(file.read_text())
    if result["report"]:
        return {"outcome": "killed", "cycle": result["cycle"], "by": result["ports"][:3]}
    unseen = {"unseen": result["unseen"]} if result["unseen"] else {}
    return {"outcome": "alive", "cycle": result["cycle"], **unseen}


Question = tuple[Mutant, str, Ports | None, Ports | None, Mapping[str, str], Path, int]
"""A mutant that the bench lets live; its module and the ports of that, None if it is the whole unit; ports of the unit,
None if that is not asked about, its hidden outputs and folder; seconds of the solver."""


def _all_judged(questions: Sequence[Question], jobs: int) -> Iterator[dict[str, Any]]:
    """Yield what is proven of each mutant, as it changes its result; ``jobs`` are asked about at a time."""
    if not questions:
        return
    context = multiprocessing.get_context("spawn")
    # An interrupt is for this process alone.
    ignored = (signal.SIGINT, signal.SIG_IGN)
    pool = ProcessPoolExecutor(jobs, mp_context=context, initializer=signal.signal, initargs=ignored)
    try:
        yield from pool.map(_judged, questions)
    except BrokenProcessPool:
        raise ToolError("a process that was asking the solver has been ended; --resume goes on with the rest") from None
    finally:
        # What has begun when this is left is given up.
        for worker in multiprocessing.active_children():
            worker.terminate()
        pool.shutdown(cancel_futures=True)


def _judged(question: Question) -> dict[str, Any]:
    """Return what is proven of a mutant."""
    mutant, module, inner, ports, hidden, folder, seconds = question
    same = {"outcome": "same" if mutant.left else "parameters"}
    alone = {"source": OWN} if module == TOP else {}
    # What nobody can tell from outside of its module, nobody can from outside of the unit, and it is sooner found.
    if inner is not None:
        answer = difference(folder, inner, mutant.number, {}, seconds=seconds, top=module, **alone)
        if answer.verdict == "same":
            return same
    if ports is None:
        return {"outcome": "open"}
    answer = difference(folder, ports, mutant.number, {}, seconds=seconds)
    if answer.verdict == "same":
        return same
    if answer.verdict == "differs" and hidden:
        answer = difference(folder, ports, mutant.number, hidden, seconds=seconds)
        if answer.verdict == "same":
            return {"outcome": "masked"}
    return {"outcome": "open"} if answer.verdict == "open" else {"depth": answer.depth}
