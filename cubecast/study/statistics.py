"""Means over runs and 95 % confidence intervals."""

from __future__ import annotations

import math
from dataclasses import asdict, dataclass
from statistics import NormalDist
from typing import Any

import numpy as np
import numpy.typing as npt

__all__ = [
    "Interval",
    "Summary",
    "mean_interval",
    "share",
    "share_interval",
    "summarise",
]

Interval = tuple[float, float]

Z = NormalDist().inv_cdf(0.975)


@dataclass(frozen=True)
class Summary:
    """Mean, root mean squared deviation, least, largest, and number of values."""

    mean: float
    std: float
    min: float
    max: float
    runs: int

    def to_json(self) -> dict[str, Any]:
        """Return it as a dictionary; ``Summary(**dictionary)`` is the way back."""
        return asdict(self)


def summarise(values: npt.ArrayLike) -> Summary:
    """Return the summary of one value per run."""
    array = np.asarray(values, dtype=np.float64)
    return Summary(float(array.mean()), float(array.std()), float(array.min()), float(array.max()), array.size)


def share(count: int, runs: int) -> Summary:
    """Return the summary of ``runs`` values of which ``count`` are 1 and the others 0."""
    mean = count / runs
    return Summary(mean, math.sqrt(mean * (1 - mean)), float(count == runs), float(count > 0), runs)


def mean_interval(summary: Summary) -> Interval:
    """Return the 95 % confidence interval of the mean, by Student's distribution; of one run, the value itself."""
    freedom = summary.runs - 1
    if freedom < 1:
        return summary.mean, summary.mean
    half = _student(freedom) * summary.std / math.sqrt(freedom)
    return summary.mean - half, summary.mean + half


def share_interval(count: int, runs: int) -> Interval:
    """Return the 95 % confidence interval of a probability, after Wilson: sensible at 0 and 1 too."""
    mean, weight = count / runs, Z * Z / runs
    centre = (mean + weight / 2) / (1 + weight)
    half = Z / (1 + weight) * math.sqrt(mean * (1 - mean) / runs + weight / (4 * runs))
    # rounding must not put a certain end beside the mean
    return min(max(0.0, centre - half), mean), max(min(1.0, centre + half), mean)


def _student(freedom: int) -> float:
    """Return the 97.5 % point of Student's distribution: exact for 1 and 2, else expanded, within 1 %."""
    if freedom == 1:
        return math.tan(math.pi * 0.475)
    if freedom == 2:
        return 0.95 * math.sqrt(2 / (1 - 0.95**2))
    terms = (
        Z,
        (Z**3 + Z) / 4,
        (5 * Z**5 + 16 * Z**3 + 3 * Z) / 96,
        (3 * Z**7 + 19 * Z**5 + 17 * Z**3 - 15 * Z) / 384,
    )
    return math.fsum(term / freedom**power for power, term in enumerate(terms))
