"""Distributions of times, lengths and destinations, in the notation of the source's captions."""

from __future__ import annotations

import math
import re
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

__all__ = ["DestinationRule", "Distribution", "FloatArray", "IntArray", "parse_destination", "parse_distribution"]

FloatArray = npt.NDArray[np.float64]
IntArray = npt.NDArray[np.int64]

_NUMBER = r"(\d+(?:\.\d+)?)"


@dataclass(frozen=True)
class Distribution:
    """Distribution of a time or a length; what is drawn is rounded to whole numbers, 1 at least.

    Parameters
    ----------
    kind : str
        ``constant``, ``exp`` or ``nor``.
    mean, deviation : float
        Before rounding; the deviation is used by ``nor``.
    """

    kind: str
    mean: float
    deviation: float = 0.0

    def draw(self, generator: np.random.Generator, size: tuple[int, ...]) -> IntArray:
        """Return an array of values."""
        match self.kind:
            case "exp":
                values = generator.exponential(self.mean, size)
            case "nor":
                values = generator.normal(self.mean, self.deviation, size)
            case _:
                values = np.full(size, self.mean)
        whole: IntArray = np.maximum(np.rint(values), 1).astype(np.int64)
        return whole


def parse_distribution(name: str, text: str) -> Distribution:
    """Return the distribution of ``50``, ``exp(512)`` (mean) or ``nor(512,256)`` (mean, standard deviation).

    Raises
    ------
    ValueError
        If ``text`` is none of them, or its mean is not positive. ``name`` tells which parameter it is.

    Source
    ------
    Buzzard 1988, section 4.4.1.
    """
    compact = text.replace(" ", "")
    for kind, pattern in (
        ("constant", _NUMBER),
        ("exp", rf"exp\({_NUMBER}\)"),
        ("nor", rf"nor\({_NUMBER},{_NUMBER}\)"),
    ):
        found = re.fullmatch(pattern, compact)
        if found and float(found[1]) > 0:
            return Distribution(kind, *map(float, found.groups()))
    raise ValueError(f'{name} must be like "50", "exp(512)" or "nor(512,256)" with a positive mean, not {text!r}')


@dataclass(frozen=True)
class DestinationRule:
    """Probability of every distance from the source; all nodes at a distance are equally likely.

    Parameters
    ----------
    distances : tuple of float
        Probability of distance 1, 2, ..., dim.
    """

    distances: tuple[float, ...]

    def draw(self, generator: np.random.Generator, sources: IntArray) -> IntArray:
        """Return a destination for every source."""
        dim = len(self.distances)
        addresses = np.arange(1, 1 << dim)
        distance = np.bitwise_count(addresses)
        each = np.array([self.distances[hops - 1] / math.comb(dim, hops) for hops in range(1, dim + 1)])
        below = np.cumsum(each[distance - 1])
        places = np.searchsorted(below, generator.random(sources.shape) * below[-1], side="right")
        relative = np.minimum(places, len(addresses) - 1) + 1
        destinations: IntArray = sources ^ relative
        return destinations


def parse_destination(text: str, dim: int) -> DestinationRule:
    """Return the rule of ``uni()``, ``sl(radius,probability)`` or ``dpf(decay)`` in a cube of dimension ``dim``.

    ``sl`` is the sphere of locality: all nodes within the radius share the probability, all others the rest. ``dpf`` is
    the decreasing probability function: distance l has a probability proportional to decay**l.

    Raises
    ------
    ValueError
        If ``text`` is none of them, or its parameters are out of range.

    Source
    ------
    Buzzard 1988, section 4.4.2.
    """
    rules: dict[str, Callable[[re.Match[str], int], tuple[float, ...]]] = {
        r"uni\(\)": _uniform,
        rf"sl\((\d+),{_NUMBER}\)": _sphere,
        rf"dpf\({_NUMBER}\)": _decreasing,
    }
    for pattern, rule in rules.items():
        found = re.fullmatch(pattern, text.replace(" ", ""))
        if found:
            return DestinationRule(rule(found, dim))
    raise ValueError(f'destination must be like "uni()", "sl(2,0.8)" or "dpf(0.2)", not {text!r}')


def _uniform(_: re.Match[str], dim: int) -> tuple[float, ...]:
    """Return the probabilities when all nodes but the source are equally likely."""
    return tuple(math.comb(dim, hops) / ((1 << dim) - 1) for hops in range(1, dim + 1))


def _sphere(found: re.Match[str], dim: int) -> tuple[float, ...]:
    """Return the probabilities of a sphere of locality."""
    radius, local = int(found[1]), float(found[2])
    if not 1 <= radius < dim:
        raise ValueError(f"radius of destination sl must be 1 to {dim - 1} at dim {dim}, not {radius}")
    if local > 1:
        raise ValueError(f"probability of destination sl must be 0 to 1, not {local}")
    inside = sum(math.comb(dim, hops) for hops in range(1, radius + 1))
    outside = (1 << dim) - 1 - inside
    return tuple(
        math.comb(dim, hops) * (local / inside if hops <= radius else (1 - local) / outside)
        for hops in range(1, dim + 1)
    )


def _decreasing(found: re.Match[str], dim: int) -> tuple[float, ...]:
    """Return the probabilities of a decreasing probability function."""
    decay = float(found[1])
    if not 0 < decay < 1:
        raise ValueError(f"decay of destination dpf must be between 0 and 1, not {decay}")
    weights = [decay**hops for hops in range(1, dim + 1)]
    return tuple(weight / sum(weights) for weight in weights)
