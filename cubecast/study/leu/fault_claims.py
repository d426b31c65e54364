"""What claims of Leu and Kuo are measured by: shares of patterns, of some points together or of each dimension."""

from __future__ import annotations

from collections.abc import Mapping

from cubecast.study.model import Claim, Outcome
from cubecast.study.verdict import Measured, never, portion

__all__ = ["Found", "by_dimension", "never_of", "place", "pooled"]

Found = Mapping[tuple[int, int], Outcome]
"""Outcomes by dimension and number of faults."""


def place(dim: int, faults: int) -> str:
    """Return the place of a point."""
    return f"n = {dim}, {faults} faults"


def pooled(found: Found, count: str, of: str) -> Measured:
    """Return the sum of ``count`` as a share of the sum of ``of``, over all points."""
    counted, total, sampled = _sums(found, count, of)
    return portion(counted, total, *_sampled_places(found), sampled=sampled)


def by_dimension(found: Found, count: str, of: str) -> dict[str, Measured]:
    """Return the shares of :func:`pooled` of each dimension, in which there is something, by its text."""
    dims = sorted({dim for dim, _ in found})
    mine = {dim: {at: outcome for at, outcome in found.items() if at[0] == dim} for dim in dims}
    return {f"n = {dim}": pooled(some, count, of) for dim, some in mine.items() if _sums(some, count, of)[1]}


def never_of(text: str, source: str, found: Found, count: str, of: str) -> Claim:
    """Return the claim that nothing is counted."""
    counted, total, sampled = _sums(found, count, of)
    return never(text, f"Leu and Kuo, {source}", counted, total, *_sampled_places(found), sampled=sampled)


def _sums(found: Found, count: str, of: str) -> tuple[int, int, bool]:
    """Return what is counted, of how many, and whether not all patterns were taken."""
    points = list(found.values())
    counted, total = (sum(outcome.get(key, 0) for outcome in points) for key in (count, of))
    return counted, total, not all(outcome["all"] for outcome in points)


def _sampled_places(found: Found) -> list[str]:
    """Return the places where more patterns can be taken."""
    return [place(*at) for at, outcome in found.items() if not outcome["all"]]
