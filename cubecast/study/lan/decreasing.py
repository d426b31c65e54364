"""Figures 5.6 and 5.7 of Lan 1988: near nodes are more likely to be destinations than far ones."""

from __future__ import annotations

import math
from abc import abstractmethod
from collections.abc import Sequence

from cubecast.study.lan.traffic_claims import Points, above_lower_bound, close_to_optimum, greedy_beats, scaled
from cubecast.study.lan.traffic_point import METHODS, TrafficPoint
from cubecast.study.lan.traffic_study import DECREASING, UNIFORM, ExcessStudy, TrafficStudy, traffic_task
from cubecast.study.lan.uniform import fine_counts, odd_counts
from cubecast.study.model import Claim, Outcome, Parameters, Point, Task
from cubecast.study.statistics import Interval, Summary, at_least, at_most, mean_interval

__all__ = ["STUDIES", "Figure56", "Figure57", "Fine57"]

FEW = 15
"""Up to how many destinations "small" is taken for."""

SOURCE = "Lan 1988, section 5.4.3"


def _less(uniform: Summary, decreasing: Summary) -> tuple[float, Interval]:
    """Return the difference of two means with its interval, the two taken as independent."""
    halves = [(high - low) / 2 for low, high in map(mean_interval, (uniform, decreasing))]
    half, less = math.hypot(*halves), uniform.mean - decreasing.mean
    return less, (less - half, less + half)


class _Compared(TrafficStudy):
    """A study that is also held against the uniform distribution, at few and at very many destinations."""

    ratio = DECREASING
    methods = METHODS

    def counts(self, quick: bool) -> tuple[list[int], int]:
        """Return the odd numbers to 63 with 100 runs."""
        return odd_counts(quick)

    def _compared(self, parameters: Parameters) -> list[int]:
        """Return the numbers of destinations at which the distributions are compared."""
        counts = parameters["destinations"]
        # At 63 all nodes are destinations under both.
        return [count for count in counts if 1 < count <= FEW] + [max(count for count in counts if count < 63)]

    def tasks(self, parameters: Parameters) -> list[Task]:
        """Return those of the figure and those of the comparison."""
        others = [
            traffic_task(self.dim, UNIFORM, count, parameters["runs"], METHODS) for count in self._compared(parameters)
        ]
        return [*super().tasks(parameters), *others]

    def evaluate(self, parameters: Parameters, outcomes: Sequence[Outcome]) -> tuple[list[Point], list[Claim]]:
        """Return curves and claims; the comparison comes first."""
        counts, compared = parameters["destinations"], self._compared(parameters)
        curves, claims = super().evaluate(parameters, outcomes[: len(counts)])
        decreasing = dict(zip(counts, map(TrafficPoint, outcomes), strict=False))
        uniform = dict(zip(compared, map(TrafficPoint, outcomes[len(counts) :]), strict=True))
        return curves, [*self.comparison(decreasing, uniform), *claims]

    @abstractmethod
    def comparison(self, decreasing: Points, uniform: Points) -> list[Claim]:
        """Return the claims about the two distributions, the last of the points being that of very many."""


class Figure56(_Compared):
    """Greedy multicast against spare global send and the optimum."""

    name = "lan-5.6"
    title = "three multicast methods, decreasing probability"
    source = "Lan 1988, figure 5.6"
    drawn = ("spare", "greedy", "optimal")
    lower_bound = True

    def comparison(self, decreasing: Points, uniform: Points) -> list[Claim]:
        """Return the claims about traffic at few and at very many destinations."""
        *few, many = uniform
        gains = {k: _less(uniform[k].traffic("greedy"), decreasing[k].traffic("greedy")) for k in (*few, many)}
        count = min(few, key=lambda k: gains[k][0] / uniform[k].traffic("greedy").mean)
        factor = 100 / uniform[count].traffic("greedy").mean
        gain, interval = gains[count][0] * factor, scaled(gains[count][1], factor)
        better = (
            "with few destinations greedy is much better than under uniform distribution "
            f"[least saving of traffic for 1 < k <= {FEW} in per cent, at k = {count}; 5 taken as much]"
        )
        factor = 100 / uniform[many].traffic("greedy").mean
        left, left_interval = gains[many][0] * factor, scaled(gains[many][1], factor)
        near = (
            "with very many destinations the distribution is close to uniform "
            f"[saving of traffic in per cent at k = {many}; below 1 taken as close]"
        )
        return [
            Claim(better, SOURCE, gain, interval, at_least(gain, 5.0, interval)),
            Claim(near, SOURCE, left, left_interval, at_most(left, 1.0, left_interval)),
        ]

    def claims(self, points: Points) -> list[Claim]:
        """Return the claims that figure 5.4 makes too."""
        return [
            greedy_beats(points, "spare", "greedy is better than spare global send", SOURCE),
            close_to_optimum(points, "greedy is very close to the optimum", SOURCE),
            above_lower_bound(points, "k is a lower bound of the traffic", SOURCE),
        ]


class Figure57(_Compared, ExcessStudy):
    """The difference of greedy multicast and the optimum."""

    name = "lan-5.7"
    title = "greedy against the optimum, decreasing probability"
    source = "Lan 1988, figure 5.7"

    def comparison(self, decreasing: Points, uniform: Points) -> list[Claim]:
        """Return the claim about the difference at few destinations."""
        few = list(uniform)[:-1]
        parts = [_less(uniform[k].above("optimal", "greedy"), decreasing[k].above("optimal", "greedy")) for k in few]
        less = sum(part[0] for part in parts) / len(parts)
        half = math.hypot(*((high - low) / 2 for _, (low, high) in parts)) / len(parts)
        claim = (
            "with few destinations greedy is much better than under uniform distribution "
            f"[by how much nearer to the optimum it is, mean over 1 < k <= {FEW}]"
        )
        interval = (less - half, less + half)
        return [Claim(claim, SOURCE, less, interval, at_least(less, 0.0, interval))]

    def claims(self, points: Points) -> list[Claim]:
        """Return the claim about the mean difference."""
        means = {count: point.above("optimal", "greedy") for count, point in points.items()}
        count = max(means, key=lambda count: means[count].mean)
        worst = means[count]
        claim = f"the mean difference of greedy and optimum is less than one unit [largest, at k = {count}]"
        interval = mean_interval(worst)
        return [Claim(claim, SOURCE, worst.mean, interval, at_most(worst.mean, 1.0, interval))]


class Fine57(Figure57):
    """The same with every number of destinations and ten times as many runs."""

    name = "lan-5.7-fine"
    title = "greedy against the optimum, decreasing, 1000 runs"
    source = "beyond Lan 1988, figure 5.7"

    def counts(self, quick: bool) -> tuple[list[int], int]:
        """Return 1 to 63 with 1000 runs."""
        return fine_counts(quick)


STUDIES = (Figure56(), Figure57(), Fine57())
