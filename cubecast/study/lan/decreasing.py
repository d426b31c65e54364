"""Figures 5.6 and 5.7 of Lan 1988: near nodes are more likely to be destinations than far ones."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence

from cubecast.study.lan.traffic_claims import (
    Points,
    above_lower_bound,
    close_to_optimum,
    difference,
    greedy_beats,
    place,
)
from cubecast.study.lan.traffic_point import METHODS, TrafficPoint
from cubecast.study.lan.traffic_study import DECREASING, UNIFORM, ExcessStudy, TrafficStudy, traffic_task
from cubecast.study.lan.uniform import fine_counts, odd_counts
from cubecast.study.model import Claim, Outcome, Parameters, Point, Task
from cubecast.study.statistics import Summary
from cubecast.study.verdict import Measured, average, greatest, hold, least, mean

__all__ = ["STUDIES", "Figure56", "Figure57", "Fine57"]

FEW = 15
"""Up to how many destinations "small" is taken for."""

SOURCE = "Lan 1988, section 5.4.3"


BEYOND = "beyond Lan 1988, section 5.4.2"
"""Of claims that the text makes of the uniform distribution only."""


def _uniform(count: int) -> str:
    """Return the place of so many destinations under uniform distribution."""
    return f"uniform {place(count)}"


def _less(count: int, uniform: Summary, decreasing: Summary) -> Measured:
    """Return the difference of two means, which are independent."""
    parts = mean(uniform, _uniform(count)), mean(decreasing, place(count)).linear(-1)
    return average(parts).linear(2)


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
            traffic_task(
                self.dim, UNIFORM, count, self.runs_at(parameters, parameters["runs"], _uniform(count)), METHODS
            )
            for count in self._compared(parameters)
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
        saving = {
            count: _less(count, sent.traffic("greedy"), decreasing[count].traffic("greedy")).linear(
                100 / sent.traffic("greedy").mean
            )
            for count, sent in uniform.items()
        }
        count, gain = least({str(k): saving[k] for k in few})
        better = (
            "with few destinations greedy is much better than under uniform distribution "
            f"[least saving of traffic for 1 < k <= {FEW} in per cent, at k = {count}; 5 taken as much]"
        )
        near = (
            "with very many destinations the distribution is close to uniform "
            f"[saving of traffic in per cent at k = {many}; below 1 taken as close]"
        )
        return [hold(better, SOURCE, gain, low=5.0), hold(near, SOURCE, saving[many], low=-1.0, high=1.0)]

    def claims(self, points: Points) -> list[Claim]:
        """Return the claims that the text makes of figure 5.4, which this distribution stands beside."""
        return [
            greedy_beats(points, "spare", "greedy is better than spare global send", BEYOND),
            close_to_optimum(points, "greedy is very close to the optimum", BEYOND),
            above_lower_bound(points, self.methods, "k is a lower bound of the traffic", BEYOND),
        ]


class Figure57(_Compared, ExcessStudy):
    """The difference of greedy multicast and the optimum."""

    name = "lan-5.7"
    title = "greedy against the optimum, decreasing probability"
    source = "Lan 1988, figure 5.7"

    def comparison(self, decreasing: Points, uniform: Points) -> list[Claim]:
        """Return the claim about the difference at few destinations."""
        *few, _ = uniform
        nearer = average(
            _less(count, uniform[count].above("optimal", "greedy"), decreasing[count].above("optimal", "greedy"))
            for count in few
        )
        claim = (
            "with few destinations greedy is much better than under uniform distribution "
            f"[by how much nearer to the optimum it is, mean over 1 < k <= {FEW}]"
        )
        return [hold(claim, SOURCE, nearer, low=0.0, strict=True)]

    def claims(self, points: Points) -> list[Claim]:
        """Return the claim about the mean difference."""
        excess = difference(points, "optimal", "greedy")
        count, worst = greatest({str(count): each for count, each in excess.items()})
        claim = f"the mean difference of greedy and optimum is less than one unit [largest, at k = {count}]"
        return [hold(claim, SOURCE, worst, high=1.0, strict=True)]


class Fine57(Figure57):
    """The same with every number of destinations and ten times as many runs."""

    name = "lan-5.7-fine"
    title = "greedy against the optimum, decreasing, 1000 runs"
    source = "beyond Lan 1988, figure 5.7"

    def counts(self, quick: bool) -> tuple[list[int], int]:
        """Return 1 to 63 with 1000 runs."""
        return fine_counts(quick)


STUDIES = (Figure56(), Figure57(), Fine57())
