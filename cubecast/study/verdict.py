"""The one rule that every claim is judged by, whichever way it points.

A claim *holds* if the whole interval of what was measured is inside what the claim allows, it *differs* if the whole
interval is outside, and else it is *open*: more runs decide it, or show that they do not.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from cubecast.study.model import HOLDS, OPEN, Claim
from cubecast.study.statistics import Interval, Summary, mean_interval, share_interval

__all__ = [
    "NEVER",
    "Measured",
    "average",
    "farthest",
    "greatest",
    "hold",
    "least",
    "mean",
    "never",
    "portion",
    "quotient",
    "ranked",
]

DIFFERS = "differs"
"""Beginning of the verdict on a claim that the measurement contradicts."""

NEVER = 0.001
"""Share of exceptions below which, where cases are sampled and none is met, a thing is taken never to happen."""


@dataclass(frozen=True)
class Measured:
    """What was measured.

    Parameters
    ----------
    value : float
        Itself.
    interval : tuple of two floats, or None
        Its 95 % confidence interval; None for a value that is computed, not sampled.
    places : tuple of str
        Places of the study whose runs it is made of.
    parts : tuple of Measured
        Of which it is the least or the greatest, if it is one.
    """

    value: float
    interval: Interval | None = None
    places: tuple[str, ...] = ()
    parts: tuple[Measured, ...] = ()

    @property
    def ends(self) -> Interval:
        """Return the interval, which of a computed value is the value alone."""
        return self.interval or (self.value, self.value)

    def linear(self, factor: float, constant: float = 0.0) -> Measured:
        """Return it times a factor, plus a constant."""
        low, high = sorted(end * factor + constant for end in self.ends)
        parts = tuple(part.linear(factor, constant) for part in self.parts)
        return Measured(self.value * factor + constant, self.interval and (low, high), self.places, parts)


def mean(summary: Summary, *places: str, sampled: bool = True) -> Measured:
    """Return the mean of runs; ``sampled``: these are not all cases that there are."""
    return Measured(summary.mean, mean_interval(summary) if sampled else None, places)


def portion(count: int, cases: int, *places: str, sampled: bool = True) -> Measured:
    """Return the share of the cases that are counted; ``sampled`` as for :func:`mean`."""
    return Measured(count / cases, share_interval(count, cases) if sampled else None, places)


def quotient(above: Measured, below: Measured) -> Measured:
    """Return the ratio of two positive values, with the interval between its extremes."""
    (low, high), (least_below, most_below) = above.ends, below.ends
    exact = above.interval is None and below.interval is None
    interval = None if exact else (low / most_below, high / least_below)
    return Measured(above.value / below.value, interval, (*above.places, *below.places))


def average(values: Iterable[Measured], weights: Iterable[float] | None = None) -> Measured:
    """Return the mean of values that are independent of each other, weighted if wanted."""
    parts = list(values)
    weighed = [1.0] * len(parts) if weights is None else list(weights)
    total = math.fsum(weighed)
    value = math.fsum(weight * part.value for weight, part in zip(weighed, parts, strict=True)) / total
    halves = [weight * (part.ends[1] - part.ends[0]) / 2 for weight, part in zip(weighed, parts, strict=True)]
    half = math.hypot(*halves) / total
    exact = all(part.interval is None for part in parts)
    places = tuple(place for part in parts for place in part.places)
    return Measured(value, None if exact else (value - half, value + half), places)


def ranked(named: Mapping[str, Measured], rank: int) -> tuple[str, Measured]:
    """Return the value with so many smaller ones, counted from behind if negative, and its name.

    Its interval reaches from the lower end of this rank to the upper end of this rank: for a claim about each of the
    values, the least or the greatest is inside what is allowed if all of theirs are, and outside if one of theirs is.
    """
    parts = tuple(named.values())
    name = sorted(named, key=lambda name: named[name].value)[rank]
    low, high = (sorted(part.ends[end] for part in parts)[rank] for end in (0, 1))
    exact = all(part.interval is None for part in parts)
    return name, Measured(named[name].value, None if exact else (low, high), named[name].places, parts)


def least(named: Mapping[str, Measured]) -> tuple[str, Measured]:
    """Return the least value and its name."""
    return ranked(named, 0)


def greatest(named: Mapping[str, Measured]) -> tuple[str, Measured]:
    """Return the greatest value and its name."""
    return ranked(named, -1)


def farthest(named: Mapping[str, Measured], centre: float) -> tuple[str, Measured]:
    """Return how far the value is from a number that is farthest from it, and its name."""
    return greatest({name: _distance(each, centre) for name, each in named.items()})


def hold(
    text: str,
    source: str,
    measured: Measured,
    *,
    low: float = -math.inf,
    high: float = math.inf,
    strict: bool = False,
    unit: str = "",
) -> Claim:
    """Return the claim that a value is inside limits, with its verdict.

    Parameters
    ----------
    text, source : str
        As in :class:`.Claim`.
    measured : Measured
        The value.
    low, high : float
        The limits, which are allowed themselves unless ``strict``.
    strict : bool
        Whether the limits are not allowed.
    unit : str
        Of the value, if its difference from the limit needs one.
    """
    verdict = _judge(measured, low, high, strict)
    if verdict == OPEN:
        undecided = [part for part in measured.parts if _judge(part, low, high, strict) == OPEN] or [measured]
        places = tuple(sorted({place for part in undecided for place in part.places}))
        return Claim(text, source, measured.value, measured.interval, OPEN, places)
    if verdict != HOLDS:
        by = max(low - measured.value, measured.value - high)
        verdict = f"{verdict} by {by:.3g}{unit}" if by else f"{verdict} by 0: the limit itself is reached"
    return Claim(text, source, measured.value, measured.interval, verdict)


def never(text: str, source: str, exceptions: int, cases: int, *places: str, sampled: bool = True) -> Claim:
    """Return the claim that something is never so, with the share of exceptions and its verdict.

    One exception is enough for a difference. Without any it holds if these are all cases that there are, or if the
    interval of their share is below :data:`NEVER`; else more cases are needed.
    """
    measured = portion(exceptions, cases, *places, sampled=sampled)
    return hold(text, source, measured, high=0.0 if exceptions else NEVER)


def _judge(measured: Measured, low: float, high: float, strict: bool) -> str:
    """Return the verdict without the amount."""
    bottom, top = measured.ends
    if strict:
        inside, outside = low < bottom and top < high, top <= low or bottom >= high
    else:
        inside, outside = low <= bottom and top <= high, top < low or bottom > high
    return HOLDS if inside else DIFFERS if outside else OPEN


def _distance(measured: Measured, centre: float) -> Measured:
    """Return how far a value is from a number."""
    low, high = sorted(abs(end - centre) for end in measured.ends)
    if measured.ends[0] <= centre <= measured.ends[1]:
        low = 0.0
    return Measured(abs(measured.value - centre), measured.interval and (low, high), measured.places)
