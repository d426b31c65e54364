"""Claims that several traffic figures make, each held against the points.

Where the text has a word and no number, the number it is taken for stands in the claim's brackets.
"""

from __future__ import annotations

import math
from collections.abc import Mapping

from cubecast.study.lan.traffic_point import TrafficPoint
from cubecast.study.model import HOLDS, Claim
from cubecast.study.statistics import Interval, Summary, at_least, at_most, mean_interval, share_interval

__all__ = [
    "Points",
    "above_lower_bound",
    "broadcast_beats_one_to_one",
    "broadcast_is_close",
    "close_to_optimum",
    "closer_at_the_ends",
    "greedy_beats",
    "greedy_least",
    "mean_distance",
    "optimal_for_two",
    "scaled",
]

Points = Mapping[int, TrafficPoint]
"""By the number of destinations."""

CLOSE = 10.0
"""What "close" is taken for, in per cent."""


LARGE = 0.75
"""From which share of the nodes on the number of destinations is taken as large."""


def scaled(interval: Interval, factor: float) -> Interval:
    """Return an interval times a positive factor."""
    return interval[0] * factor, interval[1] * factor


def greedy_least(points: Points, text: str, source: str) -> Claim:
    """Hold "greedy sends the least" against every run: the share of runs in which another method sends less."""
    lost = sum(point.below_greedy("one-to-one") + point.below_greedy("broadcast") for point in points.values())
    runs = 2 * sum(point.traffic("greedy").runs for point in points.values())
    claim = f"{text} [share of {runs} comparisons that it loses]"
    verdict = HOLDS if lost == 0 else f"differs by {lost} comparisons lost"
    return Claim(claim, source, lost / runs, share_interval(lost, runs), verdict)


def greedy_beats(points: Points, rival: str, text: str, source: str) -> Claim:
    """Hold "greedy is better" against the means: by how much at the number of destinations where it is least so.

    One destination and all nodes are left out: there every method does the same.
    """
    least_k, most_k = min(points), max(points)
    above = {count: point.above("greedy", rival) for count, point in points.items() if least_k < count < most_k}
    count = min(above, key=lambda count: above[count].mean)
    lost = sum(point.below_greedy(rival) for point in points.values())
    runs = sum(point.traffic(rival).runs for point in points.values())
    claim = f"{text} [least mean lead over all k, at k = {count}; greedy loses {lost} of {runs} single runs]"
    least, interval = above[count].mean, mean_interval(above[count])
    return Claim(claim, source, least, interval, at_least(least, 0.0, interval))


def mean_distance(points: Points, printed: float, source: str) -> Claim:
    """Hold the printed mean distance against the traffic per destination of one-to-one messages."""
    weights = {count: point.traffic("one-to-one").runs * count for count, point in points.items()}
    total = sum(weights.values())
    mean = sum(point.traffic("one-to-one").mean / count * weights[count] for count, point in points.items()) / total
    variance = 0.0
    for count, point in points.items():
        summary = point.traffic("one-to-one")
        variance += (weights[count] / total / count * _half_width(summary)) ** 2
    half = math.sqrt(variance)
    interval = (mean - half, mean + half)
    inside = interval[0] - 0.005 <= printed <= interval[1] + 0.005
    claim = f"one-to-one messages make {printed} units of traffic per destination"
    return Claim(claim, source, mean, interval, HOLDS if inside else f"differs by {mean - printed:.3g}")


def broadcast_beats_one_to_one(points: Points, nodes: int, printed: int | None, text: str, source: str) -> Claim:
    """Hold the number of destinations from which on broadcast sends less than one-to-one messages."""
    broadcast = nodes - 1
    intervals = {count: mean_interval(point.traffic("one-to-one")) for count, point in points.items()}

    def first(end: int) -> int:
        """Return the least number of destinations with this end of the interval above the broadcast."""
        return min((count for count, interval in intervals.items() if interval[end] > broadcast), default=nodes)

    measured = min((k for k, p in points.items() if p.traffic("one-to-one").mean > broadcast), default=nodes)
    claim = f"{text} [least k with a larger mean of one-to-one messages]"
    before = max((count for count in points if count < measured), default=0)
    holds = printed is None or before <= printed < measured
    verdict = HOLDS if holds else f"differs by {measured - 1 - (printed or 0)}"
    return Claim(claim, source, measured, (first(1), first(0)), verdict)


def broadcast_is_close(points: Points, text: str, source: str) -> Claim:
    """Hold "close for many destinations": from how many on broadcast stays within ten per cent of greedy."""
    largest = max(points)
    many = round(LARGE * largest)
    measured = _first_close(points, 0.0)
    claim = f"{text} [least k from which on it is within {CLOSE:g} per cent of greedy; k > {many} taken as many]"
    verdict = HOLDS if measured <= many + 1 else f"differs by {measured - many - 1}: close only from k = {measured} on"
    return Claim(claim, source, measured, (_first_close(points, -1.0), _first_close(points, 1.0)), verdict)


def _first_close(points: Points, side: float) -> int:
    """Return from which number of destinations on broadcast is close, at an end of its interval or in the middle."""

    def close(point: TrafficPoint) -> bool:
        """Return whether broadcast is close to greedy here."""
        above = point.above("greedy", "broadcast")
        return above.mean + side * _half_width(above) <= CLOSE / 100 * point.traffic("greedy").mean

    first = max(points)
    for count in sorted(points, reverse=True):
        if not close(points[count]):
            break
        first = count
    return first


def close_to_optimum(points: Points, text: str, source: str) -> Claim:
    """Hold "very close to the optimum": the largest mean excess over all numbers of destinations, in per cent."""
    shares = {k: 100 * p.above("optimal", "greedy").mean / p.traffic("optimal").mean for k, p in points.items()}
    count = max(shares, key=shares.__getitem__)
    interval = scaled(
        mean_interval(points[count].above("optimal", "greedy")), 100 / points[count].traffic("optimal").mean
    )
    claim = f"{text} [largest mean excess in per cent, at k = {count}; up to {CLOSE:g} taken as close]"
    return Claim(claim, source, shares[count], interval, at_most(shares[count], CLOSE, interval))


def closer_at_the_ends(points: Points, text: str, source: str) -> Claim:
    """Hold "especially when k is very small or very large": the mean difference there against the largest of all."""
    means = {count: point.above("optimal", "greedy") for count, point in points.items()}
    largest = max(summary.mean for summary in means.values())
    tenth = max(points) / 10
    ends = [count for count in points if count <= tenth or count >= max(points) - tenth]
    count = max(ends, key=lambda count: means[count].mean)
    claim = (
        f"{text} [largest mean difference in the first and last tenth of k, as a share of the largest of all "
        f"({largest:.3g}); up to 0.5 taken as especially close]"
    )
    if not largest:
        return Claim(claim, source, 0.0, (0.0, 0.0), HOLDS)
    share, interval = means[count].mean / largest, scaled(mean_interval(means[count]), 1 / largest)
    return Claim(claim, source, share, interval, at_most(share, 0.5, interval))


def optimal_for_two(points: Points, text: str, source: str) -> Claim:
    """Hold "the same as the optimum when k < 3" against every run."""
    few = {count: point.above("optimal", "greedy") for count, point in points.items() if count < 3}
    worst = max(summary.max for summary in few.values())
    runs = sum(summary.runs for summary in few.values())
    claim = f"{text} [largest difference in {runs} runs with k = {' and '.join(map(str, few))}]"
    return Claim(claim, source, worst, (0.0, worst), HOLDS if worst == 0 else f"differs by {worst:g}")


def above_lower_bound(points: Points, text: str, source: str) -> Claim:
    """Hold "k is a lower bound": the least traffic of any method and run above the number of destinations."""
    least = min(point.traffic("optimal").min - count for count, point in points.items())
    claim = f"{text} [least traffic of an optimal tree minus k]"
    return Claim(claim, source, least, None, HOLDS if least >= 0 else f"differs by {-least:g}")


def _half_width(summary: Summary) -> float:
    """Return half the length of the confidence interval of the mean."""
    low, high = mean_interval(summary)
    return (high - low) / 2
