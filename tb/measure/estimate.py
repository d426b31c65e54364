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
from cubecast.tb.measure.targets import TARGETS

__all__ = ["KINDS", "POINTS", "Estimate", "estimate", "fitting", "latest", "read_points"]

KINDS = ("lut", "ff", "lutram", "bram", "carry")
"""What is counted."""

POINTS = Path(__file__).with_name("points.jsonl")
"""Every measured point there has ever been, one a line, the latest last."""

LEAST = 4
"""Points of a unit that an estimate is made of at least."""

DAMPING = 0.02
"""What keeps the slope of a parameter small that the points say little about."""


@dataclasses.dataclass(frozen=True, kw_only=True)
class Estimate:
    """What a unit takes.

    Parameters
    ----------
    figures : dict
        Each of :data:`KINDS` to a number; None for what the target does not have.
    mhz : float, optional
        Its clock rate in the slowest speed grade; None where too few points were placed.
    error : dict
        ``lut``, and ``mhz`` where there is one, to the median and the worst error in percent with which each measured
        point is estimated of the others.
    points : int
        How many there are.
    nearest : dict
        The measured point that is the nearest one; the estimate is the point itself where its parameters are equal.
    beyond : tuple of str
        Parameters whose value is outside of what is measured.
    """

    figures: dict[str, int | None]
    mhz: float | None
    error: dict[str, tuple[float, float]]
    points: int
    nearest: Mapping[str, Any]
    beyond: tuple[str, ...]


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


def fitting(target: str, lut: float, bram: float) -> dict[str, bool]:
    """Return for each device of a target whether it has so many LUTs and block memories."""
    return {name: lut <= part.luts and bram <= part.blocks for name, part in TARGETS[target].parts.items()}


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
    error = {"lut": _errors(places, [point["lut"] for point in mine])}
    placed = [(place, point["mhz"]) for place, point in zip(places, mine, strict=True) if point["mhz"] is not None]
    mhz = None
    if len(placed) >= LEAST:
        where, rates = zip(*placed, strict=True)
        mhz = round(_guess(where, rates, asked), 1)
        error["mhz"] = _errors(where, rates)
    nearest = mine[_nearest(places, asked)]
    beyond = tuple(
        name for name, value in parameters.items() if _beyond(value, [p["parameters"].get(name) for p in mine])
    )
    return Estimate(figures=figures, mhz=mhz, error=error, points=len(mine), nearest=nearest, beyond=beyond)


def _about(point: Mapping[str, Any]) -> tuple[str, str]:
    """Return unit and target of a point."""
    return point["unit"], point["target"]


def _beyond(value: Any, measured: Sequence[Any]) -> bool:
    """Return whether a parameter's value lies outside of the measured ones."""
    if isinstance(value, str) or any(isinstance(other, str) or other is None for other in measured):
        return value not in measured
    return not min(measured) <= value <= max(measured)


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


def _errors(places: Sequence[np.ndarray], values: Sequence[float]) -> tuple[float, float]:
    """Return the median and the worst error, in percent, of a value that is guessed from all the others."""
    rest = functools.partial(_without, places, values)
    errors = [100 * abs(_guess(*rest(index), places[index]) / values[index] - 1) for index in range(len(values))]
    return round(statistics.median(errors), 1), round(max(errors), 1)


def _without(
    places: Sequence[np.ndarray], values: Sequence[float], index: int
) -> tuple[Sequence[np.ndarray], Sequence[float]]:
    """Return places and values without one of them."""
    return [*places[:index], *places[index + 1 :]], [*values[:index], *values[index + 1 :]]
