"""Ratios of two machines on the same messages, and claims about them.

A ratio is made run by run, both machines with the same messages; its interval is that of the mean over the runs.
Where a text has a word and no number, the number it is taken for stands in the claim's brackets.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

import numpy as np

from cubecast.study.buzzard.message_run import FloatArray, Sample
from cubecast.study.model import Claim
from cubecast.study.statistics import HOLDS, Interval, at_least, at_most, mean_interval, summarise

__all__ = [
    "Pair",
    "Ratios",
    "Samples",
    "claim_at_least",
    "claim_at_most",
    "claim_within",
    "farthest",
    "greatest",
    "least",
    "link_pairs",
    "overall",
    "ratios",
    "routing_pairs",
    "transport_pairs",
]

Samples = Mapping[str, Sample]
"""By the name of the machine."""

Pair = tuple[str, str]
"""Names of two machines; the ratio is that of the first to the second."""

Ratios = Mapping[str, FloatArray]
"""Ratio of each run, by what is compared."""


def transport_pairs(first: str, second: str, routings: str = "FA", links: str = "UB") -> list[Pair]:
    """Return the pairs of two transports with the same routing and links."""
    return [(first + routing + link, second + routing + link) for routing in routings for link in links]


def link_pairs(transports: Iterable[str] = ("DT", "CS", "DC")) -> list[Pair]:
    """Return the pairs of unidirectional and bidirectional links: ratios say what the latter gain."""
    return [(f"{transport}{routing}U", f"{transport}{routing}B") for transport in transports for routing in "FA"]


def routing_pairs(transports: Iterable[str] = ("DT", "CS", "DC"), links: str = "UB") -> list[Pair]:
    """Return the pairs of fixed and adaptive routing: ratios say what the latter gains."""
    return [(f"{transport}F{link}", f"{transport}A{link}") for transport in transports for link in links]


def ratios(samples: Samples, pairs: Iterable[Pair]) -> dict[str, FloatArray]:
    """Return the ratios of mean times, by names such as ``DTFU/DTFB``."""
    return {f"{above}/{below}": samples[above].means() / samples[below].means() for above, below in pairs}


def overall(named: Ratios) -> FloatArray:
    """Return the geometric mean of ratios, run by run."""
    mean: FloatArray = np.exp(np.mean([np.log(values) for values in named.values()], axis=0))
    return mean


def least(named: Ratios) -> tuple[str, FloatArray]:
    """Return the ratio with the least mean, and its name."""
    name = min(named, key=lambda name: float(named[name].mean()))
    return name, named[name]


def greatest(named: Ratios) -> tuple[str, FloatArray]:
    """Return the ratio with the greatest mean, and its name."""
    name = max(named, key=lambda name: float(named[name].mean()))
    return name, named[name]


def farthest(named: Ratios, centre: float) -> tuple[str, FloatArray]:
    """Return the ratio whose mean is farthest from a number, as a factor, and its name."""
    name = max(named, key=lambda name: abs(float(np.log(named[name].mean() / centre))))
    return name, named[name]


def claim_at_least(text: str, source: str, values: FloatArray, limit: float) -> Claim:
    """Return the claim that the mean of the runs is at least a limit."""
    mean, interval = _measured(values)
    return Claim(text, source, mean, interval, at_least(mean, limit, interval))


def claim_at_most(text: str, source: str, values: FloatArray, limit: float) -> Claim:
    """Return the claim that the mean of the runs is at most a limit."""
    mean, interval = _measured(values)
    return Claim(text, source, mean, interval, at_most(mean, limit, interval))


def claim_within(text: str, source: str, values: FloatArray, low: float, high: float) -> Claim:
    """Return the claim that the mean of the runs lies between two limits."""
    mean, interval = _measured(values)
    below = at_least(mean, low, interval)
    return Claim(text, source, mean, interval, below if below != HOLDS else at_most(mean, high, interval))


def _measured(values: FloatArray) -> tuple[float, Interval]:
    """Return the mean and its interval."""
    summary = summarise(values)
    return summary.mean, mean_interval(summary)
