"""The part of a lockstep run that lives inside the simulator: drive, step, compare, report."""

from __future__ import annotations

import importlib
import json
import math
import os
import time
import traceback
from collections import Counter, deque
from collections.abc import Callable, Mapping
from pathlib import Path
from random import Random
from typing import Any

import cocotb

from cubecast.tb.harness.bench import CYCLE, RESET_CYCLES, load
from cubecast.tb.harness.cocotb_private import cycles, reader, writer

__all__ = ["Session", "lockstep"]

HISTORY = 8
"""Cycles that a failing run prints."""

MOST_ROWS = 80
"""Ports that a failing run prints at most."""


class Failed(Exception):
    """The run has failed; the text says how."""


def _object(path: str) -> Any:
    """Return the object ``"module:attribute"``."""
    module, _, attribute = path.partition(":")
    return getattr(importlib.import_module(module), attribute)


def _hex(value: object) -> str:
    """Return a value as it stands in a report: hexadecimal, ``-`` if not compared, X and Z as they are."""
    if value is None:
        return "-"
    return f"{value:x}" if isinstance(value, int) else str(value)


class Session:
    """One run: the twin, the stimulus and the history, beside the handles of the DUT.

    Parameters
    ----------
    dut
        Handle of the top module.
    job : dict
        What :func:`cubecast.tb.harness.lockstep.lockstep` asks for.
    """

    def __init__(self, dut: Any, job: dict[str, Any]) -> None:
        self.job = job
        self.bench = load(job["bench"])
        config = _object(self.bench.config).from_json(job["config"])
        self.twin = _object(self.bench.twin)(config, **job["extra"])
        wanted = self.bench.events
        self.wanted = tuple(wanted(config, job["extra"], job["options"]) if callable(wanted) else wanted)
        self.stimulus = self.bench.stimulus(Random(job["seed"]), config, **job["options"])
        inputs, outputs, self.clocked = job["ports"].values()
        self.most = {name: (1 << width) - 1 for name, width in inputs.items()}
        prefix = job["prefix"]
        self.drive = {name: writer(getattr(dut, prefix + name), width) for name, width in inputs.items()}
        self.read = {name: reader(getattr(dut, prefix + name), width) for name, width in outputs.items()}
        self.inputs = dict.fromkeys(inputs, 0)
        self.events: Counter[str] = Counter()
        self.limit: int = job["cycles"]
        self.longest: int = job["longest"]
        ends = job["margin"] or self.longest > self.limit
        self.awaited = frozenset(self.wanted if job["require_events"] and ends else ())
        self.history: deque[tuple[int, dict[str, int], dict[str, Any]]] = deque(maxlen=HISTORY)
        self.cycle = 0
        # Registers that begin with any value have a known one from the first edge of the reset on.
        self.known = 0 if job["start"] is None else 1
        self.finished = False
        self.failure = ""
        self.collected: Any = None
        self.change: Mapping[str, int] = {}

    def first(self) -> Mapping[str, int]:
        """Return what the inputs are before the stimulus starts."""
        self.reset_left = RESET_CYCLES if "rst" in self.inputs else 0
        change = dict.fromkeys(self.inputs, 0)
        if self.reset_left:
            change["rst"] = 1
            return change
        return {**change, **self.next(None)}

    def next(self, outputs: dict[str, Any] | None) -> Mapping[str, int]:
        """Return the inputs that change in the next cycle; note when the stimulus has ended."""
        if self.reset_left:
            self.reset_left -= 1
            if self.reset_left:
                return {}
            released = {"rst": 0}
            self.inputs = self.inputs | released
            return {**released, **self.next(None)}
        try:
            change = next(self.stimulus) if outputs is None else self.stimulus.send(outputs)
        except StopIteration:
            self.finished = True
            return {}
        before, most = self.inputs, self.most
        try:
            change = {name: value for name, value in change.items() if value != before[name]}
        except KeyError as unknown:
            raise Failed(f"the stimulus drives {unknown.args[0]!r}, which is no input of the DUT") from None
        for name, value in change.items():
            if type(value) is not int or not 0 <= value <= most[name]:
                raise Failed(f"the stimulus drives {name} with {value!r}, but it has {most[name].bit_length()} bits")
        return change

    def check(self) -> dict[str, Any]:
        """Step the twin and compare the settled outputs of this cycle."""
        inputs = self.inputs
        expected: dict[str, Any] = self.twin.step(inputs)
        self.history.append((self.cycle, inputs, expected))
        read = self.read
        if self.cycle == 0 and expected.keys() != read.keys():
            lacks = ", ".join(sorted(read.keys() - expected.keys())) or "none"
            invents = ", ".join(sorted(expected.keys() - read.keys())) or "none"
            raise Failed(f"the twin's outputs are not the DUT's: missing {lacks}; unknown {invents}")
        for name, want in expected.items() if self.cycle >= self.known else ():
            if want is not None and read[name]() != want:
                raise Failed(self.differences())
        if (watch := self.bench.watch) is not None:
            events = self.events
            before = len(events)
            for event in watch(inputs, expected, self.twin):
                events[event] += 1
            if len(events) > before and self.awaited and self.awaited <= events.keys():
                self.awaited = frozenset()
                if self.job["margin"]:
                    enough = max(self.job["margin"] * (self.cycle + 1), self.job["least"] * self.limit)
                    self.limit = min(self.limit, math.ceil(enough))
        return expected

    def actual(self, name: str) -> int | str:
        """Return the DUT's output: a number, or its bits if some are X or Z."""
        value = self.read[name]()
        return f"b{value}" if isinstance(value, str) else value

    def differences(self) -> str:
        """Return the lines that name every port that differs in this cycle."""
        lines = []
        for name, want in self.history[-1][2].items():
            got = self.actual(name)
            if want is not None and got != want:
                note = "  (X or Z: not driven)" if isinstance(got, str) else ""
                lines.append(f"cycle {self.cycle}, port {name}: DUT {_hex(got)}, golden {_hex(want)} (hex){note}")
        return "\n".join(lines)

    def table(self) -> str:
        """Return the last cycles of both sides, one line per port, one column per cycle."""
        if not self.history:
            return ""
        cycles, inputs, outputs = zip(*self.history, strict=True)
        heads = [str(cycle) for cycle in cycles]
        stopped = cycles[-1] == self.cycle
        rows = []
        for way, values, names in (("in", inputs, self.drive), ("out", outputs, self.read)):
            for name in names:
                cells = [_hex(entry.get(name)) for entry in values]
                got = _hex(self.actual(name)) if way == "out" and stopped else cells[-1]
                differs = way == "out" and cells[-1] != "-" and got != cells[-1]
                if differs or len({cell for cell in cells if cell != "-"}) > 1:
                    rows.append((differs, [way, name, *cells[:-1], got, cells[-1], "<--" if differs else ""]))
        rows.sort(key=lambda row: (row[1][0], not row[0]))
        left_out = len(rows) - MOST_ROWS
        lines = [["", "cycle", *heads[:-1], f"{heads[-1]} DUT", f"{heads[-1]} golden", ""]]
        lines += [cells for _, cells in rows[:MOST_ROWS]]
        widths = [max(map(len, column)) for column in zip(*lines, strict=True)]
        printed = ["  ".join(cell.rjust(width) for cell, width in zip(line, widths, strict=True)) for line in lines]
        note = "last cycles (hex; up to the last one both sides agreed; - = not compared; constant ports left out):"
        return "\n".join([note, *printed, *([f"... and {left_out} more ports"] if left_out > 0 else [])])

    def report(self, what: str) -> str:
        """Return the report of a run that failed."""
        job = self.job
        head = f"{job['bench']} failed on {job['simulator']} in cycle {self.cycle}, seed {job['seed']}"
        return "\n".join(part for part in (head, what, self.table(), f"replay: {job['command']}") if part)

    def missing(self) -> str:
        """Return the text about events that did not happen, or nothing."""
        absent = [name for name in self.wanted if not self.events[name]]
        if not absent or not self.job["require_events"]:
            return ""
        counts = ", ".join(f"{name} {self.events[name]}" for name in self.wanted)
        return f"events that never happened: {', '.join(absent)} (all counts: {counts})"

    def begin(self) -> bool:
        """Ask for the first inputs; return whether there is anything to run."""
        self.change = self.first()
        return not self.finished

    def apply(self) -> None:
        """Let the inputs of this cycle change."""
        if change := self.change:
            self.inputs = {**self.inputs, **change}
            drive = self.drive
            for name, value in change.items():
                drive[name](value)

    def compare(self) -> bool:
        """Compare this cycle and ask for the next inputs; return whether the run goes on."""
        expected = self.check()
        self.cycle += 1
        if self.cycle >= (self.longest if self.awaited else self.limit):
            return False
        self.change = self.next(expected)
        return not self.finished

    def end(self, failure: str = "") -> None:
        """Keep what failed, if anything did, and what the testbench collects, as long as the DUT is in this cycle."""
        try:
            failure = failure or self.missing()
            if self.bench.collect is not None:
                self.collected = self.bench.collect(self.twin)
        except Exception:
            failure = failure or traceback.format_exc()
        self.failure = self.report(failure) if failure else ""

    def outcome(self) -> dict[str, Any]:
        """Return the result as plain values."""
        return {
            "report": self.failure,
            "events": self.events,
            "cycles": self.cycle,
            "finished": self.finished,
            "collected": self.collected,
        }


def going(sessions: list[Session], step: Callable[[Session], bool]) -> list[Session]:
    """Take one step of every session; return those that go on, the others have ended."""
    still = []
    for session in sessions:
        try:
            if step(session):
                still.append(session)
            else:
                session.end()
        except Failed as failed:
            session.end(str(failed))
        except Exception:
            session.end(traceback.format_exc())
    return still


async def run(sessions: list[Session], clk: Any, *, waves: bool = False) -> None:
    """Run all sessions in the same cycles, each to its own end."""
    sessions = going(sessions, Session.begin)

    def begin() -> None:
        for session in sessions:
            session.apply()

    def end() -> bool:
        sessions[:] = going(sessions, Session.compare)
        return bool(sessions)

    if sessions:
        await cycles(clk, CYCLE, begin, end, waves=waves)


@cocotb.test()
async def lockstep(dut: Any) -> None:
    """Run the jobs that the environment names, and write their outcomes beside them."""
    path = Path(os.environ["CUBECAST_JOB"])
    jobs = json.loads(path.read_text())
    outcomes: list[dict[str, Any]] = []
    sessions: list[Session] = []
    for job in jobs:
        try:
            sessions.append(Session(dut, job))
            outcomes.append({})
        except Exception:
            what = f"{traceback.format_exc()}\nreplay: {job['command']}"
            outcomes.append({"report": what, "events": {}, "cycles": 0, "finished": False, "collected": None})
    start = time.perf_counter()
    clocked = any(session.clocked for session in sessions) or len(jobs) > 1
    await run(sessions, dut.clk if clocked else None, waves=jobs[0]["waves"])
    seconds = time.perf_counter() - start
    ended = iter(sessions)
    outcomes = [(outcome or next(ended).outcome()) | {"seconds": seconds} for outcome in outcomes]
    (path.parent / "outcome.json").write_text(json.dumps(outcomes))
