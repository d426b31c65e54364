"""The table of a system's lockstep runs: one line per unit says at which corners, how long, and what is repeated.

Every corner of every unit runs on Verilator; Icarus repeats a part, and the rest in ``make soak``. Long, for CI alone
(:mod:`tests.harness.long`), are all corners but some (:attr:`Line.quick`), and what Icarus repeats may be. In CI a run
that has no end of its own ends some time after its last event (:data:`MARGIN`), in ``make test`` with it
(:func:`end_soon`), elsewhere at its limit. Some of these runs have another seed every time (:attr:`Line.fresh`).
"""

from __future__ import annotations

import dataclasses
import functools
import importlib
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

import pytest

from cubecast.tb.harness.coverage import chosen
from cubecast.tb.harness.lockstep import Run, lockstep_all
from tests.harness.seed import drawn, fresh

__all__ = ["ENDS_AS", "MARGIN", "Line", "at_length", "check", "check_soak", "end_soon", "params", "soak_params"]

MARGIN = {"verilator": 1.5, "icarus": 1.0}
"""A run of CI has this many times the cycles in which all its events happened, and ends then.

What Icarus repeats, Verilator has run for longer already: there a run ends with its last event.
"""

LEAST = {"verilator": 1 / 4, "icarus": 1 / 10}
"""The part of its limit that such a run has at least, however soon all its events have happened."""

ENDS_AS = {simulator: simulator for simulator in MARGIN}
"""Whose margin and part a simulator's runs have."""


def end_soon() -> None:
    """Let runs on Verilator end as those on Icarus do, where what is long is left out."""
    ENDS_AS["verilator"] = "icarus"


PATIENCE = 32
"""A run with another seed every time, and an event missing at its limit, goes on to this many times as many cycles."""

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
        What runs on Icarus too; default: the first one. None for a network whose nodes and routers it runs by
        themselves: it repeats those in ``make soak`` only.
    cycles : int, or dict
        Limit of a run; by name of the configuration where it differs, ``""`` for all others.
    repeated_cycles : int
        Limit of what Icarus repeats, where all events happen in fewer cycles; default: the same.
    every : function
        The run must end by itself, after no fewer cycles than 2 to the power of ``every(config)``: all combinations
        of the inputs. Corners in ``random`` need only end.
    random : sequence of str
        Corners with more combinations than can be tried.
    ends : bool
        The run must end by itself.
    options : dict
        Arguments of the stimulus by name of the configuration.
    longer : dict
        Arguments of the stimulus that take the place of some of them in ``make soak``, in runs of more traffic.
    repeated_options : dict
        Arguments of the stimulus that take the place of some of them on Icarus, in runs of less.
    told : bool
        Whether the stimulus gets the arguments of the component too.
    benches : sequence of str
        Attributes of the unit's testbench module.
    events : bool
        False for runs in which not all events happen.
    whole : bool
        Each run on Verilator goes on to its limit: bugs that ``make mutants`` plants are seen long after the last event
        only.
    alone : bool
        A design that is worth a process of its own for each corner.
    core : sequence of str
        The corners that ``make test`` has on Verilator; default: of a large design the first one, of a small unit the
        first, the middle one and the last. None of some networks, and of what stands as it is in a unit with AXI ports.
    soak : dict
        Longer runs in ``make soak``: name of the configuration to its limit of cycles; ``""`` for all corners.
    seeds : int
        How many of them there are for a corner; each campaign has other seeds.
    kept : sequence of int
        Seeds that they have besides in each campaign.
    again : sequence of str
        Corners that have another seed on Verilator every time, of a line whose runs have an end of their own or that is
        alone with a single corner.
    same : sequence of str
        Corners that keep their seed: an event is too rare with others, or a run that failed with one is open.
    later : sequence of str
        Corners of large designs, on both simulators in ``make soak`` only: their units run in CI, too.
    """

    corners: tuple[Corner, ...]
    icarus: tuple[Corner, ...] | None = None
    cycles: int | Mapping[str, int] = 2000
    repeated_cycles: int | None = None
    every: Callable[[Any], int] | None = None
    random: tuple[str, ...] = ()
    ends: bool = False
    options: Mapping[str, Mapping[str, Any]] = dataclasses.field(default_factory=dict)
    longer: Mapping[str, Mapping[str, Any]] = dataclasses.field(default_factory=dict)
    repeated_options: Mapping[str, Mapping[str, Any]] = dataclasses.field(default_factory=dict)
    told: bool = True
    benches: tuple[str, ...] = ("BENCH",)
    events: bool = True
    whole: bool = False
    alone: bool = False
    core: tuple[str, ...] | None = None
    soak: Mapping[str, int] = dataclasses.field(default_factory=dict)
    seeds: int = 1
    kept: tuple[int, ...] = ()
    again: tuple[str, ...] = ()
    same: tuple[str, ...] = ()
    later: tuple[str, ...] = ()

    @property
    def quick(self) -> tuple[Corner, ...]:
        """What ``make test`` runs on Verilator, whatever it takes."""
        if self.core is not None:
            return tuple(corner for corner in self.corners if name_of(corner) in self.core)
        count = len(self.corners)
        places = (0,) if self.alone else (0, count // 2, count - 1)
        return tuple(corner for place, corner in enumerate(self.corners) if place in places)

    @property
    def further(self) -> tuple[Corner, ...]:
        """What CI alone runs on Verilator, whatever it takes."""
        return tuple(corner for corner in self.corners if corner not in self.quick)

    @property
    def repeated(self) -> tuple[Corner, ...]:
        """What runs on Icarus in CI."""
        return self.corners[:1] if self.icarus is None else self.icarus

    def limit(self, simulator: str) -> int:
        """Return the limit of the longest run on a simulator in CI."""
        if simulator == "icarus" and self.repeated_cycles is not None:
            return self.repeated_cycles
        return self.cycles if isinstance(self.cycles, int) else max(self.cycles.values())

    def cut(self, simulator: str) -> bool:
        """Return whether its runs may end before the limit."""
        whole = self.whole if simulator == "verilator" else not self.repeated
        return self.endless and not whole

    @property
    def endless(self) -> bool:
        """Whether its runs have no end of their own, and ask for events."""
        return self.events and self.every is None and not self.ends

    def fresh(self, simulator: str) -> tuple[Corner, ...]:
        """Return the corners with another seed every time: the second half; of a small unit's single one the repeat.

        Of other lines those that they name.
        """
        if self.again:
            return self.again if simulator == "verilator" else ()
        several = len(self.corners) > 1
        if not self.endless or several != (simulator == "verilator") or (self.alone and not several):
            return ()
        corners = self.corners[len(self.corners) // 2 :] if several else self.repeated
        return tuple(corner for corner in corners if name_of(corner) not in self.same)

    def at_length(self) -> Line:
        """Return the line with the traffic of ``make soak``."""
        return self._with(self.longer)

    def on(self, simulator: str) -> Line:
        """Return the line with the traffic of a simulator."""
        return self._with(self.repeated_options) if simulator == "icarus" else self

    def _with(self, others: Mapping[str, Mapping[str, Any]]) -> Line:
        """Return the line with other arguments of the stimulus."""
        options = {name: {**self.options.get(name, {}), **more} for name, more in others.items()}
        return dataclasses.replace(self, options={**self.options, **options})

    @property
    def left(self) -> tuple[Corner, ...]:
        """What runs on Icarus in ``make soak`` only."""
        return tuple(corner for corner in self.corners if corner not in self.repeated)


def name_of(corner: Corner) -> str:
    """Return how a corner is called in the name of a test."""
    if isinstance(corner, str):
        return corner
    return "-".join([corner[0], *(f"{key}{value}" for key, value in corner[1].items())])


GROUP = 6
"""Small units that run together: a compiler, a simulator and Python take longer to start than most of them run."""


def groups(table: Mapping[str, Line], simulator: str) -> list[tuple[str, ...]]:
    """Return the units of a table as they run together, large ones alone.

    Those with the nearest limits of cycles. One that has come to its end costs next to nothing on Icarus; Verilator
    evaluates all of a design in every cycle, so there no limit is more than twice another one. ``make check`` runs the
    first unit, and it alone.
    """

    def length(unit: str) -> int:
        return table[unit].limit(simulator)

    first = next(iter(table))
    equal = simulator == "verilator"
    single = {unit: line.alone or (equal and (unit == first or line.every is not None)) for unit, line in table.items()}
    shared: list[list[str]] = []
    for unit in sorted((unit for unit in table if not single[unit]), key=length):
        fits = shared and len(shared[-1]) < GROUP
        if fits and (not equal or length(unit) <= 2 * length(shared[-1][0])):
            shared[-1].append(unit)
        else:
            shared.append([unit])
    return [*((unit,) for unit in table if single[unit]), *map(tuple, shared)]


IN_CI = (
    ("verilator", "quick", (), ""),
    ("verilator", "further", (pytest.mark.long,), "further"),
    ("icarus", "repeated", (), ""),
)
"""Simulator, corners, marks, and the last word of the test's name."""

IN_SOAK = (
    ("icarus", "left", (pytest.mark.soak,), "rest"),
    ("verilator", "later", (pytest.mark.soak,), "rest"),
    ("icarus", "later", (pytest.mark.soak,), "rest"),
)
"""The same of what CI does not run."""

AT_LENGTH = (("verilator", "corners", (), ""), ("icarus", "repeated", (), ""))
"""What runs longer in ``make soak``: there all corners of a group are in one process."""


def params(table: Mapping[str, Line], kinds: Iterable[tuple[Any, ...]] = (*IN_CI, *IN_SOAK)) -> list[Any]:
    """Return the parameters ``simulator, units, corners`` of a test: the table; ``make check`` runs the first."""
    found: list[Any] = []
    for simulator, what, marks, ending in kinds:
        for units in groups(table, simulator):
            alone = table[units[0]].alone
            asked = {unit: corners for unit in units if (corners := getattr(table[unit], what))}
            parts = [{units[0]: (corner,)} for corner in asked.get(units[0], ())] if alone else [asked] * bool(asked)
            for part in parts:
                words = [simulator, "+".join(part), *(name_of(corners[0]) for corners in part.values() if alone)]
                words += [ending] * (bool(ending) and not alone)
                core = simulator == "verilator" and what == "quick"
                told = [*marks, *[pytest.mark.large] * alone, *[pytest.mark.check] * (not found)]
                told += [pytest.mark.core] * core
                values = (simulator, tuple(part), tuple(part.values()))
                found.append(pytest.param(*values, marks=told, id="-".join(words)))
    return found


def at_length(table: Mapping[str, Line]) -> list[Any]:
    """Return those of :func:`params` whose runs are longer in ``make soak``: up to the limit, or with more traffic."""

    def longer(simulator: str, unit: str, corners: Iterable[Corner]) -> bool:
        return table[unit].cut(simulator) or any(name_of(corner) in table[unit].longer for corner in corners)

    return [
        pytest.param(*entry.values, id=entry.id)
        for entry in params(table, AT_LENGTH)
        if any(map(functools.partial(longer, entry.values[0]), *entry.values[1:]))
    ]


def soak_params(table: Mapping[str, Line], names: Iterable[str] = ()) -> list[Any]:
    """Return the parameters ``unit, corner, seed`` of the longer runs, at these corners or at those of each line."""
    return [
        pytest.param(unit, corner, *seed.values, id=f"{unit}-{name_of(corner)}-{seed.id}")
        for unit, line in table.items()
        for corner in tuple(names) or line.corners
        for seed in [*(pytest.param(seed, id=str(seed)) for seed in line.kept), *drawn(line.seeds)]
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
    system: str,
    table: Mapping[str, Line],
    configs: Mapping[str, Any],
    simulator: str,
    units: Sequence[str],
    corners: Sequence[tuple[Corner, ...]],
    margin: float | None = None,
) -> None:
    """Make the runs of some lines, each at these corners, in as few processes as may be; ``margin`` 0: at length."""
    if margin is None:
        # What is not reached is counted, too.
        margin = 0 if chosen() else MARGIN[ENDS_AS[simulator]]
    parts = {}
    long = not margin
    for unit, some in zip(units, corners, strict=True):
        line = (table[unit] if margin else table[unit].at_length()).on(simulator)
        shorter = (
            line.repeated_cycles is not None
            and simulator == "icarus"
            and all(corner in line.repeated for corner in some)
        )
        limit = {"cycles": line.repeated_cycles} if shorter else {}
        limit |= {"margin": margin, "least": LEAST[ENDS_AS[simulator]]} if line.cut(simulator) else {}
        parts[unit] = []
        for corner in some:
            again = corner in line.fresh(simulator)
            seed = {"seed": 1 if chosen() else fresh()} if again else {}
            soak = corner in line.later or (simulator == "icarus" and corner not in line.repeated)
            long |= soak
            patience = {"patience": PATIENCE} if again or soak else {}
            parts[unit] += runs_of(system, unit, line, configs, (corner,), **limit, **seed, **patience)
    asked = [(table[unit], run) for unit, runs in parts.items() for run in runs]
    reports = lockstep_all([run for _, run in asked], simulator, timeout=3600 if long else 600)
    for (line, run), report in zip(asked, reports, strict=True):
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
    more = {"cycles": cycles, "seed": seed, "patience": PATIENCE if line.endless else 1}
    lockstep_all(runs_of(system, unit, line, configs, (corner,), **more), timeout=3600)


def rows(system: str, table: Mapping[str, Line]) -> list[str]:
    """Return the table of the docs: what each unit of a system is run with, and where."""
    found = [f"| {system} | on Verilator | repeated on Icarus | cycles at most |", "|---|---|---|---|"]
    for unit, line in table.items():
        shown = [", ".join(map(name_of, corners)) or "in `make soak`" for corners in (line.corners, line.repeated)]
        limits = f"{line.limit('verilator'):,}"
        if line.repeated_cycles is not None:
            limits += f", Icarus {line.repeated_cycles:,}"
        found.append(f"| `{unit}` | {shown[0]} | {shown[1]} | {limits} |")
    return found
