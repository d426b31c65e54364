"""Ratios of two machines on the same messages, and claims about them.

A ratio is made run by run, both machines with the same messages; its interval is that of the mean over the runs.
Where a text has a word and no number, the number it is taken for stands in the claim's brackets.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

import numpy as np

from cubecast.study import verdict
from cubecast.study.buzzard.message_run import FloatArray, Sample
from cubecast.study.model import Claim
from cubecast.study.statistics import summarise
from cubecast.study.verdict import Measured, hold

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
    "measured",
    "of_most",
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


def measured(values: FloatArray, *places: str) -> Measured:
    """Return the mean of the runs."""
    return verdict.mean(summarise(values), *places)


def least(named: Ratios) -> tuple[str, Measured]:
    """Return the least mean, and its name."""
    return verdict.least(_means(named))


def greatest(named: Ratios) -> tuple[str, Measured]:
    """Return the greatest mean, and its name."""
    return verdict.greatest(_means(named))


def farthest(named: Ratios, centre: float) -> tuple[str, Measured]:
    """Return how far the mean is from a number that is farthest from it, and its name."""
    return verdict.farthest(_means(named), centre)


def of_most(named: Ratios) -> tuple[str, Measured]:
    """Return the value that more than half of the means are not above, and its name."""
    return verdict.ranked(_means(named), len(named) // 2)


def claim_at_least(text: str, source: str, values: FloatArray | Measured, limit: float) -> Claim:
    """Return the claim that the mean of the runs is at least a limit."""
    return hold(text, source, _measured(values), low=limit)


def claim_at_most(text: str, source: str, values: FloatArray | Measured, limit: float) -> Claim:
    """Return the claim that the mean of the runs is at most a limit."""
    return hold(text, source, _measured(values), high=limit)


def claim_within(text: str, source: str, values: FloatArray | Measured, low: float, high: float) -> Claim:
    """Return the claim that the mean of the runs lies between two limits."""
    return hold(text, source, _measured(values), low=low, high=high)


def _means(named: Ratios) -> dict[str, Measured]:
    """Return the means of the runs."""
    return {name: measured(values) for name, values in named.items()}


def _measured(values: FloatArray | Measured) -> Measured:
    """Return the mean of the runs, unless it is one."""
    return values if isinstance(values, Measured) else measured(values)
