"""Figures 5.3, 5.4 and 5.5 of Lan 1988: destinations drawn evenly from all nodes of a 6-cube."""

from __future__ import annotations

from collections.abc import Sequence

from cubecast.study.lan.few import few_point, optimal_for_few
from cubecast.study.lan.traffic_claims import (
    Points,
    above_lower_bound,
    broadcast_beats_one_to_one,
    broadcast_is_close,
    close_to_optimum,
    closer_at_the_ends,
    greedy_beats,
    greedy_least,
    mean_distance,
)
from cubecast.study.lan.traffic_point import METHODS
from cubecast.study.lan.traffic_study import ExcessStudy, TrafficStudy
from cubecast.study.model import Claim, Outcome, Parameters, Point, Task
from cubecast.study.verdict import Measured, hold

__all__ = ["STUDIES", "Figure53", "Figure54", "Figure55", "Fine55", "fine_counts", "odd_counts"]


def odd_counts(quick: bool) -> tuple[list[int], int]:
    """Return the numbers of destinations of figures 5.4 to 5.7, and their runs."""
    return (list(range(1, 64, 6)), 10) if quick else (list(range(1, 64, 2)), 100)


def fine_counts(quick: bool) -> tuple[list[int], int]:
    """Return all numbers of destinations, and more runs."""
    return (list(range(1, 64, 4)), 20) if quick else (list(range(1, 64)), 1000)


class Figure53(TrafficStudy):
    """Greedy multicast against multiple one-to-one messages and broadcast."""

    name = "lan-5.3"
    title = "three communication methods in a 6-cube"
    source = "Lan 1988, figure 5.3"
    methods = ("greedy", "ordered", "spare", "broadcast", "one-to-one")
    drawn = ("one-to-one", "greedy", "broadcast")

    def counts(self, quick: bool) -> tuple[list[int], int]:
        """Return 1 to 63 with 1000 runs."""
        return (list(range(1, 64, 2)), 100) if quick else (list(range(1, 64)), 1000)

    def claims(self, points: Points) -> list[Claim]:
        """Return the claims of section 5.4.2 about the figure, and one of section 6.1."""
        section = "Lan 1988, section 5.4.2"
        farthest = max(abs(point.traffic("broadcast").mean - 63) for point in points.values())
        always = "broadcast makes 63 units of traffic whatever k is [largest difference]"
        distance = "one-to-one messages make 3.05 units of traffic per destination [rounded to two digits]"
        return [
            greedy_least(points, "greedy always makes the least traffic of the three", section),
            hold(always, section, Measured(farthest), high=0.0),
            hold(distance, section, mean_distance(points), low=3.045, high=3.055),
            broadcast_beats_one_to_one(
                points, 64, 20, "for more than 20 destinations even broadcast is better than one-to-one", section
            ),
            broadcast_is_close(
                points, "for many destinations, broadcast is close to multicast", "Lan 1988, section 6.1"
            ),
        ]


class Figure54(TrafficStudy):
    """Greedy multicast against spare global send and the optimum."""

    name = "lan-5.4"
    title = "three multicast algorithms, uniform distribution"
    source = "Lan 1988, figure 5.4"
    methods = METHODS
    drawn = ("spare", "greedy", "optimal")
    lower_bound = True

    def counts(self, quick: bool) -> tuple[list[int], int]:
        """Return the odd numbers to 63 with 100 runs."""
        return odd_counts(quick)

    def claims(self, points: Points) -> list[Claim]:
        """Return the claims of section 5.4.2 about the figure."""
        section = "Lan 1988, section 5.4.2"
        return [
            greedy_beats(points, "spare", "greedy is better than spare global send", section),
            close_to_optimum(points, "greedy is very close to the optimum", section),
            closer_at_the_ends(points, "especially when k is very small or very large", section),
            above_lower_bound(points, self.methods, "k is a lower bound of the traffic", section),
        ]


class Figure55(ExcessStudy):
    """The difference of greedy multicast and the optimum."""

    name = "lan-5.5"
    title = "greedy against the optimum, uniform distribution"
    source = "Lan 1988, figure 5.5"
    methods = METHODS

    def counts(self, quick: bool) -> tuple[list[int], int]:
        """Return the odd numbers to 63 with 100 runs."""
        return odd_counts(quick)

    def tasks(self, parameters: Parameters) -> list[Task]:
        """Return those of the figure, and first that of all lists of one and two destinations."""
        return [Task(few_point, {"dim": self.dim}), *super().tasks(parameters)]

    def evaluate(self, parameters: Parameters, outcomes: Sequence[Outcome]) -> tuple[list[Point], list[Claim]]:
        """Return the differences, and the claim about one and two destinations with the others."""
        few, *rest = outcomes
        curves, claims = super().evaluate(parameters, rest)
        equal = "for k < 3 greedy is as good as the optimum"
        return curves, [optimal_for_few(few, equal, "Lan 1988, section 5.4.2; lemma 5.3"), *claims]

    def claims(self, points: Points) -> list[Claim]:
        """Return the claim of section 5.4.2 about the shape."""
        ends = "the difference is smallest when k is very small or very large"
        return [closer_at_the_ends(points, ends, "Lan 1988, section 5.4.2")]


class Fine55(Figure55):
    """The same with every number of destinations and ten times as many runs."""

    name = "lan-5.5-fine"
    title = "greedy against the optimum, uniform, 1000 runs"
    source = "beyond Lan 1988, figure 5.5"

    def counts(self, quick: bool) -> tuple[list[int], int]:
        """Return 1 to 63 with 1000 runs."""
        return fine_counts(quick)


STUDIES = (Figure53(), Figure54(), Figure55(), Fine55())
