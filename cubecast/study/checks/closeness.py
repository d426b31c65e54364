"""Claims that two means are equal."""

from __future__ import annotations

from collections.abc import Mapping

from cubecast.study.model import Claim
from cubecast.study.verdict import Measured, farthest, hold

__all__ = ["CLOSE", "equal_means"]

CLOSE = 5.0
"""Difference in per cent up to which means are taken for equal."""


def equal_means(text: str, source: str, percent: Mapping[str, Measured], beside: str = "") -> Claim:
    """Hold that means are equal at all loads: the largest difference stands in the claim.

    Parameters
    ----------
    text : str
        What is said.
    source : str
        What the means are held against.
    percent : mapping
        By load, the differences in per cent.
    beside : str
        What else is to be said of the measurement.
    """
    load, size = farthest(percent, 0.0)
    value = percent[load].value
    way = "above" if value > 0 else "below" if value < 0 else "equal"
    claim = f"{text} [largest difference in per cent, {way}, at load {load}{beside}; up to {CLOSE:g} taken as equal]"
    return hold(claim, source, size, high=CLOSE)
