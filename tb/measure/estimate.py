"""Estimate: what a unit takes of an FPGA, from points that were measured, without any tool."""

from __future__ import annotations

import dataclasses
import functools
import json
import math
import statistics
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from cubecast.options.usage import UsageError
from cubecast.tb.measure.targets import MARGIN, TARGETS

__all__ = ["KINDS", "POINTS", "Estimate", "Known", "estimate", "fitting", "latest", "read_points"]

KINDS = ("lut", "ff", "lutram", "bram", "carry")
"""What is counted."""

POINTS = Path(__file__).with_name("points.jsonl")
"""Every measured point there has ever been, one a line, the latest last."""

LEAST = 4
"""Points of a unit that an estimate is made of at least."""

DAMPING = 0.02
"""What keeps the slope of a parameter small that the points say little about."""


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
        These parameters: the value is not between those of the points, or not among them if it is a word; or it goes
        together with another parameter in all points, and not here, so that they do not say which of the two matters.
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


def estimate(unit: str, target: str, parameters: Mapping[str, Any], path: Path = POINTS) -> Estimate:
    """Estimate a unit: the nearest measured point, changed by what a fit of all points says of each parameter.

    The logarithm of each figure is taken as linear in the logarithms of the numbers among the parameters, and in the
    words among them one by one.

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

    Raises
    ------
    UsageError
        Too few points of this unit were measured for this target.
    """
    points = latest(read_points(path))
    mine = [point for point in points if (point["unit"], point["target"]) == (unit, target)]
    if len(mine) < LEAST:
        counted = {key: sum((p["unit"], p["target"]) == key for p in points) for key in map(_about, points)}
        allowed = ", ".join(f"{name} for {where}" for (name, where), count in counted.items() if count >= LEAST)
        raise UsageError(f"estimate must be of a unit that was measured ({allowed or 'none'}), not {unit} for {target}")
    describe = _features([point["parameters"] for point in mine])
    asked, places = describe(parameters), [describe(point["parameters"]) for point in mine]
    figures: dict[str, int | None] = {}
    for kind in KINDS:
        if all(point[kind] is not None for point in mine):
            guess = _guess(places, [point[kind] for point in mine], asked)
            figures[kind] = round(guess)
        else:
            figures[kind] = None
    known = {"lut": _known(parameters, mine, places, [point["lut"] for point in mine])}
    placed = [(point, place) for point, place in zip(mine, places, strict=True) if point["mhz"] is not None]
    mhz = None
    if len(placed) >= LEAST:
        those, where = zip(*placed, strict=True)
        rates = [point["mhz"] for point in those]
        mhz = round(_guess(where, rates, asked), 1)
        known["mhz"] = _known(parameters, those, where, rates)
    nearest = mine[_nearest(places, asked)]
    rooms = [TARGETS[target].occupied(point) for point in mine]
    low, high = (1.0, 1.0) if nearest["parameters"] == parameters else _spread(places, rooms)
    room = _guess(places, rooms, asked)
    occupied = round(room / high), round(room / low * (1 + MARGIN))
    return Estimate(figures=figures, mhz=mhz, known=known, occupied=occupied, nearest=nearest)


def _about(point: Mapping[str, Any]) -> tuple[str, str]:
    """Return unit and target of a point."""
    return point["unit"], point["target"]


def _known(
    parameters: Mapping[str, Any],
    points: Sequence[Mapping[str, Any]],
    places: Sequence[np.ndarray],
    values: Sequence[float],
) -> Known:
    """Return what points know of a figure."""
    beyond = _beyond(parameters, [point["parameters"] for point in points])
    errors = [100 * abs(ratio - 1) for ratio in _ratios(places, values)]
    error = round(statistics.median(errors), 1), round(max(errors), 1)
    return Known(points=len(points), error=None if beyond else error, beyond=beyond)


def _beyond(parameters: Mapping[str, Any], measured: Sequence[Mapping[str, Any]]) -> tuple[str, ...]:
    """Return the parameters that are outside of what was measured; of those that go together as few as explain it."""
    found = {name for name, value in parameters.items() if _outside(value, [each.get(name) for each in measured])}
    pairs = {
        (name, other)
        for name in parameters.keys() - found
        for other in parameters.keys() - found
        if _follows(measured, name, other)
        and any(each[other] == parameters[other] and each[name] != parameters[name] for each in measured)
    }
    while pairs:
        # Of those that are in the most pairs one with a new value, else the last: later ones mostly follow from others.
        counts = {
            name: (sum(name in pair for pair in pairs), value not in [each[name] for each in measured])
            for name, value in reversed(list(parameters.items()))
        }
        worst = max(counts, key=counts.__getitem__)
        found.add(worst)
        pairs = {pair for pair in pairs if worst not in pair}
    return tuple(name for name in parameters if name in found)


def _outside(value: Any, measured: Sequence[Any]) -> bool:
    """Return whether a parameter's value lies outside of the measured ones."""
    if isinstance(value, str) or any(isinstance(other, str) or other is None for other in measured):
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


def _guess(places: Sequence[np.ndarray], values: Sequence[float], asked: np.ndarray) -> float:
    """Return the value at a place, from those at others."""
    near = _nearest(places, asked)
    if not any(values):
        return 0.0
    rows, logs = np.array(places), np.log1p(np.array(values, dtype=float))
    rows, logs = rows - rows.mean(axis=0), logs - logs.mean()
    slopes = np.linalg.solve(rows.T @ rows + DAMPING * np.eye(rows.shape[1]), rows.T @ logs)
    return float(np.expm1(np.log1p(values[near]) + slopes @ (asked - places[near])))


def _ratios(places: Sequence[np.ndarray], values: Sequence[float]) -> list[float]:
    """Return of each value, guessed from all the others, how many times the value the guess is."""
    rest = functools.partial(_without, places, values)
    return [_guess(*rest(index), places[index]) / values[index] for index in range(len(values))]


def _spread(places: Sequence[np.ndarray], values: Sequence[float]) -> tuple[float, float]:
    """Return the least and the greatest of these ratios, the first at most and the second at least 1."""
    ratios = _ratios(places, values)
    return min(1.0, *ratios), max(1.0, *ratios)


def _without(
    places: Sequence[np.ndarray], values: Sequence[float], index: int
) -> tuple[Sequence[np.ndarray], Sequence[float]]:
    """Return places and values without one of them."""
    return [*places[:index], *places[index + 1 :]], [*values[:index], *values[index + 1 :]]
