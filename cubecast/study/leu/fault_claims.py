"""Claims of Leu and Kuo as such: a share of patterns, or a value, against its limit."""

from __future__ import annotations

from collections.abc import Iterable

from cubecast.study.model import HOLDS, Claim, Outcome
from cubecast.study.statistics import Interval, at_least, at_most, share_interval

__all__ = ["Share", "at_least_claim", "at_most_claim", "below_claim", "pooled"]

Share = tuple[float, Interval | None]
"""A share and its confidence interval, or None if all cases were counted."""


def pooled(outcomes: Iterable[Outcome], count: str, of: str) -> Share:
    """Return the sum of ``count`` as a share of the sum of ``of``, over all points."""
    points = list(outcomes)
    counted, total = (sum(outcome.get(key, 0) for outcome in points) for key in (count, of))
    exact = all(outcome["all"] for outcome in points)
    return counted / total, None if exact else share_interval(counted, total)


def at_most_claim(claim: str, source: str, measured: Share, limit: float) -> Claim:
    """Return a claim that a share is at most ``limit``."""
    value, interval = measured
    return Claim(claim, f"Leu and Kuo, {source}", value, interval, at_most(value, limit, interval or (value, value)))


def at_least_claim(claim: str, source: str, measured: Share, limit: float) -> Claim:
    """Return a claim that a share is at least ``limit``."""
    value, interval = measured
    return Claim(claim, f"Leu and Kuo, {source}", value, interval, at_least(value, limit, interval or (value, value)))


def below_claim(claim: str, source: str, measured: Share, limit: float) -> Claim:
    """Return a claim that a value is less than ``limit``."""
    value, interval = measured
    verdict = (
        HOLDS
        if value < limit
        else f"differs by {value - limit:.3g}"
        if value > limit
        else "differs by 0: the limit itself is reached"
    )
    return Claim(claim, f"Leu and Kuo, {source}", value, interval, verdict)
