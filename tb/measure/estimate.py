"""Estimate: what a unit takes of an FPGA, from points that were measured, without any tool."""

from __future__ import annotations

import collections
import dataclasses
import json
import math
import statistics
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from cubecast.options.usage import UsageError
from cubecast.systems.system import Memory
from cubecast.tb.measure.targets import MARGIN, TARGETS

__all__ = [
    "KINDS",
    "POINTS",
    "Estimate",
    "Known",
    "NoPointsError",
    "estimate",
    "fitting",
    "latest",
    "measured_units",
    "read_points",
]

KINDS = ("lut", "ff", "lutram", "bram", "carry")
"""What is counted."""

POINTS = Path(__file__).with_name("points.jsonl")
"""Every measured point there has ever been, one a line, the latest last."""

LEAST = 4
"""Points of a unit that an estimate is made of at least."""

RAM = {False: "lutram", True: "bram"}
"""What memories are counted as that are not, and that are, in block RAM."""

SIDE = " in"
"""End of the word, beside a parameter, that says in which kind of RAM its memories are."""

DAMPING = 0.02
"""What keeps the slope of a parameter small that the points say little about."""


class NoPointsError(UsageError):
    """Too few points of a unit were measured for an estimate."""


@dataclasses.dataclass(frozen=True, kw_only=True)
class Known:
    """What the points know of a figure.

    Parameters
    ----------
    points : int
        How many have it.
    error : tuple of float, optional
        The median and the worst error in percent with which each of them is estimated of the others; None where a
        parameter is outside of what they have.
    beyond : tuple of str
        These parameters: the value is not between those of the points, or not among them if it is a word, and if the
        parameter decides of a kind of RAM, not between those of the points with the same kind; or it goes together with
        another parameter in all points, and not here, so that they do not say which of the two matters.
    """

    points: int
    error: tuple[float, float] | None
    beyond: tuple[str, ...]


@dataclasses.dataclass(frozen=True, kw_only=True)
class Estimate:
    """What a unit takes.

    Parameters
    ----------
    figures : dict
        Each of :data:`KINDS` to a number; None for what the target does not have.
    mhz : float, optional
        Its clock rate in the slowest speed grade; None where too few points were placed.
    known : dict
        ``lut``, and ``mhz`` where there is one, to what the points know of it.
    occupied : tuple of int
        LUTs of a device that it fills when it is placed, distributed memories and the ends of carry chains included, at
        least and at most, as far as the points were estimated of each other.
    nearest : dict
        The measured point that is the nearest one; the estimate is the point itself where its parameters are equal.
    """

    figures: dict[str, int | None]
    mhz: float | None
    known: dict[str, Known]
    occupied: tuple[int, int]
    nearest: Mapping[str, Any]


def read_points(path: Path = POINTS) -> list[dict[str, Any]]:
    """Return all points of the file, the earliest first.

    Raises
    ------
    ValueError
        A line is no point; one line with its number.
    """
    points = []
    for number, line in enumerate(path.read_text().splitlines() if path.exists() else [], 1):
        try:
            point = json.loads(line)
            _key(point)
            points.append({name: point[name] for name in (*NAMES, *KINDS)})
        except (ValueError, KeyError, TypeError):
            raise ValueError(f"{path.name} must have one point per line, not {line[:40]!r} (line {number})") from None
    return points


NAMES = ("unit", "target", "parameters", "mhz", "device", "revision", "date")
"""What a point has besides what is counted."""


def _key(point: Mapping[str, Any]) -> tuple[str, str, str]:
    """Return what makes a point the same one at another revision."""
    return point["unit"], point["target"], json.dumps(point["parameters"], sort_keys=True)


def latest(points: Iterable[Mapping[str, Any]]) -> list[Mapping[str, Any]]:
    """Return each point as it was measured last; a clock rate that was not measured again stays."""
    found: dict[Any, Mapping[str, Any]] = {}
    for point in points:
        before = found.get(_key(point), {})
        rate = {"mhz": before["mhz"], "device": before["device"]} if before and point["mhz"] is None else {}
        found[_key(point)] = {**point, **rate}
    return list(found.values())


def fitting(target: str, least: float, most: float, bram: float) -> dict[str, bool | None]:
    """Return for each device of a target whether a design fits, None where it may not.

    Parameters
    ----------
    target : str
        One of :data:`TARGETS`.
    least, most : float
        How many LUTs the design fills.
    bram : float
        How many block memories it has.
    """
    return {
        name: False if least > part.luts or bram > part.blocks else True if most <= part.luts else None
        for name, part in TARGETS[target].parts.items()
    }


def estimate(
    unit: str,
    target: str,
    parameters: Mapping[str, Any],
    path: Path = POINTS,
    *,
    memories: Callable[[Mapping[str, Any]], Sequence[Memory]] = lambda parameters: (),
) -> Estimate:
    """Estimate a unit: the nearest measured point, changed by what a fit of all points says of each parameter.

    The logarithm of each figure is taken as linear in the logarithms of the numbers among the parameters, and in the
    words among them one by one. Memories whose kind of RAM a parameter decides are counted, and the rest of the figure
    is fitted, for which the kind is one more word.

    Parameters
    ----------
    unit : str
        What it is called on the command line.
    target : str
        One of :data:`TARGETS`.
    parameters : mapping
        All its parameters, as plain values.
    path : Path
        The file of points.
    memories : function
        Returns the memories whose kind of RAM a parameter decides, of all parameters.

    Raises
    ------
    NoPointsError
        Too few points of this unit were measured for this target.
    """
    points = latest(read_points(path))
    mine = [point for point in points if (point["unit"], point["target"]) == (unit, target)]
    if len(mine) < LEAST:
        allowed = ", ".join(f"{name} for {where}" for name, where in measured_units(path))
        why = f"estimate must be of a unit that was measured ({allowed or 'none'}), not {unit} for {target}"
        raise NoPointsError(why)
    given = [point["parameters"] for point in mine]
    about = [{**each, **_sides(memories(each))} for each in given]
    worded = {**parameters, **_sides(memories(parameters))}
    held = [_counted(target, memories(each)) for each in given]
    own = _counted(target, memories(parameters))
    describe = _features(about)
    asked, places = describe(worded), [describe(each) for each in about]
    figures: dict[str, int | None] = {}
    for kind in KINDS:
        if all(point[kind] is not None for point in mine):
            fit = _Fit(places, [point[kind] for point in mine], [each[kind] for each in held])
            figures[kind] = round(fit.at(asked, own[kind]))
        else:
            figures[kind] = None
    known = {"lut": _known(worded, about, _Fit(places, [point["lut"] for point in mine]))}
    placed = [index for index, point in enumerate(mine) if point["mhz"] is not None]
    mhz = None
    if len(placed) >= LEAST:
        rates = _Fit([places[index] for index in placed], [mine[index]["mhz"] for index in placed])
        mhz = round(rates.at(asked), 1)
        known["mhz"] = _known(worded, [about[index] for index in placed], rates)
    nearest = mine[_nearest(places, asked)]
    fills = TARGETS[target].occupied
    rooms = _Fit(places, [fills(point) for point in mine], [fills(each) for each in held])
    low, high = (1.0, 1.0) if nearest["parameters"] == parameters else rooms.spread()
    room = rooms.at(asked, fills(own))
    occupied = round(room / high), round(room / low * (1 + MARGIN))
    return Estimate(figures=figures, mhz=mhz, known=known, occupied=occupied, nearest=nearest)


def measured_units(path: Path = POINTS) -> list[tuple[str, str]]:
    """Return the units of which there are enough points for an estimate, each with its target."""
    counted = collections.Counter(map(_about, latest(read_points(path))))
    return [about for about, count in counted.items() if count >= LEAST]


def _about(point: Mapping[str, Any]) -> tuple[str, str]:
    """Return unit and target of a point."""
    return point["unit"], point["target"]


def _counted(target: str, memories: Sequence[Memory]) -> dict[str, int]:
    """Return how many of each kind memories take."""
    found = dict.fromkeys(KINDS, 0)
    for memory in memories:
        kind = RAM[memory.block]
        found[kind] += TARGETS[target].memory(kind, memory.bits, memory.depth)
    return found


def _sides(memories: Sequence[Memory]) -> dict[str, str]:
    """Return in which kind of RAM the memories of a parameter are, as words beside the parameters."""
    return {memory.parameter + SIDE: RAM[memory.block] for memory in memories}


def _known(parameters: Mapping[str, Any], measured: Sequence[Mapping[str, Any]], fit: _Fit) -> Known:
    """Return what points know of a figure."""
    beyond = _beyond(parameters, measured)
    errors = [100 * abs(ratio - 1) for ratio in fit.ratios()]
    error = round(statistics.median(errors), 1), round(max(errors), 1)
    return Known(points=len(measured), error=None if beyond else error, beyond=beyond)


def _beyond(parameters: Mapping[str, Any], measured: Sequence[Mapping[str, Any]]) -> tuple[str, ...]:
    """Return the parameters that are outside of what was measured; of those that go together as few as explain it."""
    names = [name for name in parameters if not name.endswith(SIDE)]
    found = {name for name in names if _outside(parameters[name], _alike(measured, parameters, name))}
    inside = set(names) - found
    pairs = {
        (name, other)
        for name in inside
        for other in inside
        if _follows(measured, name, other)
        and any(each[other] == parameters[other] and each[name] != parameters[name] for each in measured)
    }
    while pairs:
        # Of those that are in the most pairs one with a new value, else the last: later ones mostly follow from others.
        counts = {
            name: (sum(name in pair for pair in pairs), parameters[name] not in [each[name] for each in measured])
            for name in reversed(names)
        }
        worst = max(counts, key=counts.__getitem__)
        found.add(worst)
        pairs = {pair for pair in pairs if worst not in pair}
    return tuple(name for name in names if name in found)


def _alike(measured: Sequence[Mapping[str, Any]], parameters: Mapping[str, Any], name: str) -> list[Any]:
    """Return the measured values of a parameter, of points whose memories of it are in the same kind of RAM."""
    side = name + SIDE
    return [each.get(name) for each in measured if each.get(side) == parameters.get(side)]


def _outside(value: Any, measured: Sequence[Any]) -> bool:
    """Return whether a parameter's value lies outside of the measured ones."""
    if not measured or isinstance(value, str) or any(isinstance(other, str) or other is None for other in measured):
        return value not in measured
    return not min(measured) <= value <= max(measured)


def _follows(measured: Sequence[Mapping[str, Any]], name: str, other: str) -> bool:
    """Return whether a parameter differs among the points, and has one value alone for each value of another one."""
    pairs = {(each[other], each[name]) for each in measured}
    return name != other and len({value for _, value in pairs}) > 1 and len(pairs) == len({key for key, _ in pairs})


Features = Callable[[Mapping[str, Any]], np.ndarray]


def _features(known: Sequence[Mapping[str, Any]]) -> Features:
    """Return the function that makes numbers of parameters: of those that differ among the known ones."""
    numbers = [key for key, value in known[0].items() if not isinstance(value, str)]
    numbers = [key for key in numbers if len({each[key] for each in known}) > 1]
    words = [key for key, value in known[0].items() if isinstance(value, str)]
    pairs = sorted({(key, each[key]) for key in words for each in known})
    pairs = [(key, word) for key, word in pairs if not all(each[key] == word for each in known)]

    def describe(parameters: Mapping[str, Any]) -> np.ndarray:
        logs = [math.log2(1 + parameters[key]) for key in numbers]
        return np.array([*logs, *(float(parameters[key] == word) for key, word in pairs)])

    return describe


def _nearest(places: Sequence[np.ndarray], asked: np.ndarray) -> int:
    """Return the place that is the nearest one."""
    return min(range(len(places)), key=lambda index: float(np.abs(places[index] - asked).sum()))


@dataclasses.dataclass(frozen=True)
class _Fit:
    """Values at places: of each a part is counted, and the logarithm of the rest linear.

    Parameters
    ----------
    places : sequence of array
        Where they are.
    values : sequence of float
        What they are.
    counted : sequence of float
        The part that is counted; none: 0 everywhere.
    """

    places: Sequence[np.ndarray]
    values: Sequence[float]
    counted: Sequence[float] = ()

    def at(self, asked: np.ndarray, counted: float = 0) -> float:
        """Return the value at a place, of which a part is counted: the nearest one, changed by the slopes of all."""
        rest = np.array(self.values, dtype=float) - np.array(self.counted or 0.0, dtype=float)
        if not rest.any():
            return counted
        near = _nearest(self.places, asked)
        rows, logs = np.array(self.places), np.log1p(rest)
        rows, logs = rows - rows.mean(axis=0), logs - logs.mean()
        slopes = np.linalg.solve(rows.T @ rows + DAMPING * np.eye(rows.shape[1]), rows.T @ logs)
        return float(np.expm1(np.log1p(rest[near]) + slopes @ (asked - self.places[near]))) + counted

    def ratios(self) -> list[float]:
        """Return of each value, guessed from all the others, how many times the value the guess is."""
        counted = self.counted or [0] * len(self.values)
        return [
            self._without(index).at(place, part) / value
            for index, (place, part, value) in enumerate(zip(self.places, counted, self.values, strict=True))
        ]

    def spread(self) -> tuple[float, float]:
        """Return the least and the greatest of these ratios, the first at most and the second at least 1."""
        ratios = self.ratios()
        return min(1.0, *ratios), max(1.0, *ratios)

    def _without(self, index: int) -> _Fit:
        """Return the fit without one of them."""
        return _Fit(*([*each[:index], *each[index + 1 :]] for each in (self.places, self.values, self.counted)))
