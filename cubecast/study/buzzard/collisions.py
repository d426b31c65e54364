"""Equations 5.1 and 5.2 of Buzzard 1988: how often two messages of a node want the same first link."""

from __future__ import annotations

import math
from collections.abc import Sequence
from itertools import pairwise
from typing import TYPE_CHECKING

import numpy as np

from cubecast.study.model import Claim, Outcome, Parameters, Point, Study, Task
from cubecast.study.seeds import generator
from cubecast.study.statistics import share, summarise
from cubecast.study.verdict import Measured, farthest, hold, portion

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["STUDIES", "Collisions", "adaptive_probability", "collision_point", "fixed_probability"]

SOURCE = "Buzzard 1988, section 5.2"

EQUAL = 0.005
"""Difference up to which a probability and a share of the runs are taken as equal."""

MUCH_LARGER = 10.0
"""What "much larger" is taken for."""

CURVES = {
    "fixed": ("C1-", "fixed routing, equation 5.1"),
    "fixed sampled": ("C1o", "fixed routing, sampled"),
    "adaptive": ("C0-", "adaptive first hop, equation 5.2"),
    "adaptive sampled": ("C0s", "adaptive first hop, sampled"),
    "adaptive exact": ("C0:", "adaptive first hop, 1 / (2^n - 1)"),
}


def fixed_probability(dim: int) -> float:
    """Return equation 5.1: both messages want the link that fixed routing begins with."""
    nodes = 1 << dim
    return (nodes / (nodes - 1)) ** 2 * math.fsum(4.0**-k for k in range(1, dim + 1))


def adaptive_probability(dim: int) -> float:
    """Return equation 5.2 as printed: the second message can only use the link that the first has."""
    nodes = 1 << dim
    return (nodes / (nodes - 1)) ** 2 * math.fsum(2.0**-k / (nodes - 1) for k in range(1, dim + 1))


def collision_point(seed: int, dim: int, runs: int) -> Outcome:
    """Return both probabilities of the text, and how many of the runs have a collision.

    In a run, two messages of a node get destinations other than the node, all equally likely. The first takes the
    lowest dimension in which its destination differs. Under fixed routing so does the second; otherwise it takes any
    other dimension that brings it closer, if there is one.

    Parameters
    ----------
    seed : int
        That of the command line.
    dim : int
        Dimension of the cube.
    runs : int
        How many pairs of messages.
    """
    first, second = generator(seed, "collisions", dim).integers(1, 1 << dim, (2, runs))
    link = first & -first
    return {
        "fixed": fixed_probability(dim),
        "adaptive": adaptive_probability(dim),
        "fixed sampled": int(np.count_nonzero(second & -second == link)),
        "adaptive sampled": int(np.count_nonzero(second == link)),
    }


class Collisions(Study):
    """The probabilities against the dimension, as printed and sampled."""

    name = "buzzard-eq5"
    title = "two messages of a node want the same first link"
    source = "Buzzard 1988, equations 5.1 and 5.2"

    def parameters(self, quick: bool) -> Parameters:
        """Return dimensions and the number of runs of each."""
        return {"dims": list(range(1, 17)), "runs": 20_000 if quick else 1_000_000, "left_out": ""}

    def _runs(self, parameters: Parameters, dim: int) -> int:
        """Return how many runs a dimension has."""
        return self.runs_at(parameters, parameters["runs"], _place(dim))

    def tasks(self, parameters: Parameters) -> list[Task]:
        """Return a task for each dimension."""
        return [Task(collision_point, {"dim": dim, "runs": self._runs(parameters, dim)}) for dim in parameters["dims"]]

    def evaluate(self, parameters: Parameters, outcomes: Sequence[Outcome]) -> tuple[list[Point], list[Claim]]:
        """Return the probabilities of the text and the sampled ones, and the claims about them."""
        dims = parameters["dims"]
        runs = {dim: self._runs(parameters, dim) for dim in dims}
        found = dict(zip(dims, outcomes, strict=True))
        points = []
        for curve in CURVES:
            for dim, outcome in found.items():
                if curve.endswith("sampled"):
                    summary = share(outcome[curve], runs[dim])
                elif curve == "adaptive exact":
                    summary = summarise([1 / (2**dim - 1)])
                else:
                    summary = summarise([outcome[curve]])
                points.append(Point.of(curve, dim, summary))
        return points, [
            _is_sampled(found, runs, "fixed", "equation 5.1 is the probability of a collision under fixed routing"),
            _is_sampled(found, runs, "adaptive", "equation 5.2 is that with an adaptive first hop"),
            _tends_to(found, "fixed", 1 / 3, "the probability tends to 1/3 under fixed routing"),
            _tends_to(found, "adaptive", 0.0, "the probability tends to 0 with an adaptive first hop"),
            _much_larger(found),
        ]

    def draw(self, axes: Axes, parameters: Parameters, points: Sequence[Point]) -> None:
        """Draw the probabilities against the dimension, on a logarithmic scale."""
        for curve, (style, label) in CURVES.items():
            mine = [point for point in points if point.curve == curve and point.mean > 0]
            axes.plot([point.x for point in mine], [point.mean for point in mine], style, label=label)
        axes.set_yscale("log")
        axes.set_xticks(parameters["dims"])
        axes.set_xlabel("dimension n")
        axes.set_ylabel("probability of a collision")


def _place(dim: int) -> str:
    """Return the place of a dimension."""
    return f"n = {dim}"


def _is_sampled(found: dict[int, Outcome], runs: dict[int, int], curve: str, text: str) -> Claim:
    """Hold an equation against the samples: at the dimension where they differ most."""
    excess = {
        _place(dim): portion(outcome[f"{curve} sampled"], runs[dim], _place(dim)).linear(1.0, -outcome[curve])
        for dim, outcome in found.items()
    }
    name, difference = farthest(excess, 0.0)
    claim = f"{text} [largest difference from what is sampled, at {name}; up to {EQUAL:g} taken as equal]"
    return hold(claim, SOURCE, difference, high=EQUAL)


def _tends_to(found: dict[int, Outcome], curve: str, limit: float, text: str) -> Claim:
    """Hold a limit against the equation: every dimension is nearer to it, and the last within a thousandth."""
    off = [abs(outcome[curve] - limit) for outcome in found.values()]
    rises = sum(later >= earlier for earlier, later in pairwise(off))
    claim = (
        f"{text} [difference at n = {max(found)}, 1 more for every n that is not nearer than the one before; up to "
        "0.001 taken as tending]"
    )
    return hold(claim, SOURCE, Measured(off[-1] + rises), high=0.001)


def _much_larger(found: dict[int, Outcome]) -> Claim:
    """Hold "much larger for all n >= 2" against the equations."""
    factors = {dim: outcome["fixed"] / outcome["adaptive"] for dim, outcome in found.items() if dim >= 2}
    dim = min(factors, key=factors.__getitem__)
    first = min((n for n, factor in factors.items() if factor >= MUCH_LARGER), default=None)
    reached = f"reached from n = {first} on" if first else "never reached"
    claim = (
        "the probability under fixed routing is much larger for all n of at least 2 "
        f"[least ratio of the equations, at n = {dim}; {MUCH_LARGER:g} taken as much larger, {reached}]"
    )
    return hold(claim, SOURCE, Measured(factors[dim]), low=MUCH_LARGER)


STUDIES = (Collisions(),)
