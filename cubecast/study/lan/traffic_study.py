"""What the traffic figures of Lan 1988, chapter 5, have in common: traffic against the number of destinations."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence
from typing import TYPE_CHECKING

from cubecast.study.lan.traffic_claims import Points, place
from cubecast.study.lan.traffic_point import TrafficPoint, traffic_point
from cubecast.study.model import Claim, Outcome, Parameters, Point, Study, Task

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["DECREASING", "UNIFORM", "ExcessStudy", "TrafficStudy", "traffic_task"]

UNIFORM = 1.0
"""Ratio of the probabilities of two destinations, the first a hop farther away: Lan's k."""

DECREASING = 0.5

_STYLES = {
    "one-to-one": ("C1--", "multiple one-to-one"),
    "spare": ("C1--", "spare global send"),
    "greedy": ("C0-", "greedy"),
    "ordered": ("C2-.", "ordered"),
    "broadcast": ("C3:", "broadcast"),
    "optimal": ("C3--", "optimal"),
}


def traffic_task(dim: int, ratio: float, count: int, runs: int, methods: Sequence[str]) -> Task:
    """Return the task of one point; figures that show the same point have the same task."""
    return Task(traffic_point, {"dim": dim, "ratio": ratio, "count": count, "runs": runs, "methods": list(methods)})


class TrafficStudy(Study):
    """Traffic against the number of destinations.

    Attributes
    ----------
    dim : int
        Dimension of the cube.
    ratio : float
        :data:`UNIFORM` or :data:`DECREASING`.
    methods : tuple of str
        What is in the data.
    drawn : tuple of str
        What is in the plot.
    lower_bound : bool
        Whether the number of destinations itself is drawn.
    """

    dim = 6
    ratio = UNIFORM
    methods: tuple[str, ...]
    drawn: tuple[str, ...]
    lower_bound = False

    @abstractmethod
    def counts(self, quick: bool) -> tuple[list[int], int]:
        """Return the numbers of destinations on the x-axis, and the number of runs for each."""

    @abstractmethod
    def claims(self, points: Points) -> list[Claim]:
        """Return the claims of the text."""

    def parameters(self, quick: bool) -> Parameters:
        """Return dimension, distribution, numbers of destinations, runs and methods."""
        counts, runs = self.counts(quick)
        return {
            "dim": self.dim,
            "ratio": self.ratio,
            "destinations": counts,
            "runs": runs,
            "methods": list(self.methods),
            "quantity": "traffic",
            "left_out": "",
        }

    def tasks(self, parameters: Parameters) -> list[Task]:
        """Return a task for each number of destinations."""
        runs = parameters["runs"]
        return [
            traffic_task(self.dim, self.ratio, count, self.runs_at(parameters, runs, place(count)), self.methods)
            for count in parameters["destinations"]
        ]

    def evaluate(self, parameters: Parameters, outcomes: Sequence[Outcome]) -> tuple[list[Point], list[Claim]]:
        """Return the traffic of all methods."""
        points = dict(zip(parameters["destinations"], map(TrafficPoint, outcomes), strict=True))
        curves = [
            Point.of(method, count, point.traffic(method)) for method in self.methods for count, point in points.items()
        ]
        return curves, self.claims(points)

    def draw(self, axes: Axes, parameters: Parameters, points: Sequence[Point]) -> None:
        """Draw mean traffic against the number of destinations."""
        for method in self.drawn:
            style, label = _STYLES[method]
            mine = [point for point in points if point.curve == method]
            axes.plot([point.x for point in mine], [point.mean for point in mine], style, label=label)
        if self.lower_bound:
            counts = parameters["destinations"]
            axes.plot(counts, counts, "k:", label="lower bound k")
        axes.set_xlabel("number of destinations k")
        axes.set_ylabel("traffic")
        axes.set_xlim(left=0)
        axes.set_ylim(bottom=0)


class ExcessStudy(TrafficStudy):
    """Traffic above the optimum against the number of destinations: worst case, mean, standard deviation."""

    def parameters(self, quick: bool) -> Parameters:
        """Return those of a traffic study; the quantity is another."""
        return {**super().parameters(quick), "quantity": "traffic above the optimum"}

    def evaluate(self, parameters: Parameters, outcomes: Sequence[Outcome]) -> tuple[list[Point], list[Claim]]:
        """Return the differences of all methods to the optimum, run by run."""
        points = dict(zip(parameters["destinations"], map(TrafficPoint, outcomes), strict=True))
        curves = [
            Point.of(method, count, point.above("optimal", method))
            for method in self.methods
            if method != "optimal"
            for count, point in points.items()
        ]
        return curves, self.claims(points)

    def draw(self, axes: Axes, parameters: Parameters, points: Sequence[Point]) -> None:
        """Draw the greedy algorithm's worst case, mean and standard deviation."""
        mine = [point for point in points if point.curve == "greedy"]
        across = [point.x for point in mine]
        axes.plot(across, [point.max for point in mine], "C3:", label="worst case")
        axes.plot(across, [point.mean for point in mine], "C0-", label="mean")
        axes.plot(across, [point.std for point in mine], "C1--", label="standard deviation")
        axes.set_xlabel("number of destinations k")
        axes.set_ylabel("traffic of greedy above the optimum")
        axes.set_xlim(left=0)
        axes.set_ylim(bottom=0)
