"""The table of a system's lockstep runs: one line per unit says at which corners, how long, and what is repeated.

Every corner of every unit runs on Verilator; Icarus repeats a part, and the rest in ``make soak``.
"""

import dataclasses
import importlib
from collections.abc import Callable, Iterable, Mapping
from typing import Any

import pytest

from cubecast.tb.harness.lockstep import Run, lockstep_all

__all__ = ["Line", "check", "check_soak", "params", "soak_params"]

Corner = str | tuple[str, Mapping[str, Any]]
"""Name of a configuration, or with it the arguments of component, twin and stimulus."""


@dataclasses.dataclass(frozen=True, kw_only=True)
class Line:
    """What a unit is run with.

    Parameters
    ----------
    corners : sequence of Corner
        What runs on Verilator: all of them.
    icarus : sequence of Corner
        What runs on Icarus too; default: the first one.
    cycles : int, or dict
        Limit of a run; by name of the configuration where it differs, ``""`` for all others.
    every : function
        The run must end by itself, after no fewer cycles than 2 to the power of ``every(config)``: all combinations
        of the inputs. Corners in ``random`` need only end.
    random : sequence of str
        Corners with more combinations than can be tried.
    ends : bool
        The run must end by itself.
    options : dict
        Arguments of the stimulus by name of the configuration.
    told : bool
        Whether the stimulus gets the arguments of the component too.
    benches : sequence of str
        Attributes of the unit's testbench module.
    events : bool
        False for runs in which not all events happen.
    alone : bool
        A design that is worth a process of its own for each corner.
    soak : dict
        Longer runs in ``make soak``: name of the configuration to its limit of cycles; ``""`` for all corners.
    seeds : range
        Theirs.
    later : sequence of str
        Corners of large designs, on both simulators in ``make soak`` only: their units run there in ``make test``.
    """

    corners: tuple[Corner, ...]
    icarus: tuple[Corner, ...] | None = None
    cycles: int | Mapping[str, int] = 2000
    every: Callable[[Any], int] | None = None
    random: tuple[str, ...] = ()
    ends: bool = False
    options: Mapping[str, Mapping[str, Any]] = dataclasses.field(default_factory=dict)
    told: bool = True
    benches: tuple[str, ...] = ("BENCH",)
    events: bool = True
    alone: bool = False
    soak: Mapping[str, int] = dataclasses.field(default_factory=dict)
    seeds: range = range(2, 5)
    later: tuple[str, ...] = ()

    @property
    def repeated(self) -> tuple[Corner, ...]:
        """What runs on Icarus in ``make test``."""
        return self.corners[:1] if self.icarus is None else self.icarus

    @property
    def left(self) -> tuple[Corner, ...]:
        """What runs on Icarus in ``make soak`` only."""
        return tuple(corner for corner in self.corners if corner not in self.repeated)


def name_of(corner: Corner) -> str:
    """Return how a corner is called in the name of a test."""
    if isinstance(corner, str):
        return corner
    return "-".join([corner[0], *(f"{key}{value}" for key, value in corner[1].items())])


def params(table: Mapping[str, Line]) -> list[Any]:
    """Return the parameters ``simulator, unit, corners`` of a test: the whole table; ``make check`` runs the first."""
    found = []
    for unit, line in table.items():
        for simulator, corners, marks in (
            ("verilator", line.corners, ()),
            ("icarus", line.repeated, ()),
            ("icarus", line.left, (pytest.mark.soak,)),
            ("verilator", line.later, (pytest.mark.soak,)),
            ("icarus", line.later, (pytest.mark.soak,)),
        ):
            size = 1 if line.alone else len(corners)
            for first in range(0, len(corners), size or 1):
                part = corners[first : first + size]
                words = [simulator, unit, *(name_of(corner) for corner in part if line.alone)]
                words += ["rest"] * (bool(marks) and not line.alone)
                told = [*marks, *[pytest.mark.large] * line.alone, *[pytest.mark.check] * (not found)]
                found.append(pytest.param(simulator, unit, part, marks=told, id="-".join(words)))
    return found


def soak_params(table: Mapping[str, Line], names: Iterable[str] = ()) -> list[Any]:
    """Return the parameters ``unit, corner, seed`` of the longer runs, at these corners or at those of each line."""
    return [
        pytest.param(unit, corner, seed, id=f"{unit}-{name_of(corner)}-{seed}")
        for unit, line in table.items()
        for corner in tuple(names) or line.corners
        for seed in line.seeds
        if line.soak and (name_of(corner) in line.soak or "" in line.soak)
    ]


def runs_of(
    system: str, unit: str, line: Line, configs: Mapping[str, Any], corners: tuple[Corner, ...], **more: Any
) -> list[Run]:
    """Return the runs at some corners."""
    module = importlib.import_module(f"cubecast.tb.{system}.{unit}")
    found = []
    for bench in line.benches:
        for corner in corners:
            name, extra = (corner, {}) if isinstance(corner, str) else corner
            cycles = line.cycles if isinstance(line.cycles, int) else line.cycles.get(name, line.cycles[""])
            options = {**(extra if line.told else {}), **line.options.get(name, {})}
            asked = {"cycles": cycles, "options": options, "extra": extra, "require_events": line.events, **more}
            found.append(Run(bench=getattr(module, bench), config=configs[name], **asked))
    return found


def check(
    system: str, table: Mapping[str, Line], configs: Mapping[str, Any], simulator: str, unit: str, corners: Any
) -> None:
    """Make the runs of a line at some corners, in as few processes as may be."""
    line = table[unit]
    runs = runs_of(system, unit, line, configs, corners)
    for run, report in zip(runs, lockstep_all(runs, simulator), strict=True):
        if line.every is not None or line.ends:
            assert report.finished, report.command
        name = next(name for name, config in configs.items() if config == run.config)
        if line.every is not None and name not in line.random:
            assert report.cycles >= 2 ** line.every(run.config), report.command


def check_soak(
    system: str, table: Mapping[str, Line], configs: Mapping[str, Any], unit: str, corner: Corner, seed: int
) -> None:
    """Make a longer run of a line, with another seed."""
    line = table[unit]
    cycles = line.soak.get(name_of(corner)) or line.soak[""]
    lockstep_all(runs_of(system, unit, line, configs, (corner,), cycles=cycles, seed=seed), timeout=3600)


def rows(system: str, table: Mapping[str, Line]) -> list[str]:
    """Return the table of the docs: what each unit of a system is run with, and where."""
    found = [f"| {system} | on Verilator | repeated on Icarus | cycles at most |", "|---|---|---|---|"]
    for unit, line in table.items():
        cycles = line.cycles if isinstance(line.cycles, int) else max(line.cycles.values())
        shown = [", ".join(name_of(corner) for corner in corners) for corners in (line.corners, line.repeated)]
        found.append(f"| `{unit}` | {shown[0]} | {shown[1]} | {cycles:,} |")
    return found
