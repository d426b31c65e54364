"""Claims that two means are equal."""

from __future__ import annotations

from collections.abc import Mapping

from cubecast.study.model import Claim
from cubecast.study.statistics import Summary, at_most, mean_interval

__all__ = ["CLOSE", "equal_means"]

CLOSE = 5.0
"""Difference in per cent up to which means are taken for equal."""


def equal_means(text: str, source: str, percent: Mapping[float, Summary], beside: str = "") -> Claim:
    """Hold that means are equal at all loads: the largest difference stands in the claim.

    Parameters
    ----------
    text : str
        What is said.
    source : str
        What the means are held against.
    percent : mapping
        By load, the differences of the runs in per cent.
    beside : str
        What else is to be said of the measurement.
    """
    load = max(percent, key=lambda load: abs(percent[load].mean))
    difference, (low, high) = percent[load].mean, mean_interval(percent[load])
    claim = f"{text} [largest difference in per cent, at load {load:g}{beside}; up to {CLOSE:g} taken as equal]"
    sizes = (low, high) if difference >= 0 else (-high, -low)
    return Claim(claim, source, difference, (low, high), at_most(abs(difference), CLOSE, sizes))
