"""Claims that several traffic figures make, each held against the points.

Where the text has a word and no number, the number it is taken for stands in the claim's brackets.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from cubecast.study.lan.traffic_point import TrafficPoint
from cubecast.study.model import Claim
from cubecast.study.verdict import Measured, average, greatest, hold, least, mean, never

__all__ = [
    "Points",
    "above_lower_bound",
    "broadcast_beats_one_to_one",
    "broadcast_is_close",
    "close_to_optimum",
    "closer_at_the_ends",
    "difference",
    "greedy_beats",
    "greedy_least",
    "mean_distance",
    "place",
]

Points = Mapping[int, TrafficPoint]
"""By the number of destinations."""

CLOSE = 10.0
"""What "close" is taken for, in per cent."""

LARGE = 0.75
"""From which share of the nodes on the number of destinations is taken as large."""


def place(count: int) -> str:
    """Return the place of a study with so many destinations."""
    return f"k = {count}"


def difference(points: Points, base: str, method: str) -> dict[int, Measured]:
    """Return by how much the mean traffic of a method is above that of another, by the number of destinations."""
    return {count: mean(point.above(base, method), place(count)) for count, point in points.items()}


def greedy_least(points: Points, text: str, source: str) -> Claim:
    """Hold "greedy always sends the least" against every run: the share of runs in which another method sends less."""
    lost = sum(point.below_greedy("one-to-one") + point.below_greedy("broadcast") for point in points.values())
    runs = 2 * sum(point.traffic("greedy").runs for point in points.values())
    return never(f"{text} [share of {runs} comparisons that it loses]", source, lost, runs, *map(place, points))


def greedy_beats(points: Points, rival: str, text: str, source: str) -> Claim:
    """Hold "greedy is better" against the means: by how much at the number of destinations where it is least so.

    One destination and all nodes are left out: there every method does the same.
    """
    least_k, most_k = min(points), max(points)
    above = {
        str(count): lead for count, lead in difference(points, "greedy", rival).items() if least_k < count < most_k
    }
    count, lead = least(above)
    lost = sum(point.below_greedy(rival) for point in points.values())
    runs = sum(point.traffic(rival).runs for point in points.values())
    claim = f"{text} [least mean lead over all k, at k = {count}; greedy loses {lost} of {runs} single runs]"
    return hold(claim, source, lead, low=0.0, strict=True)


def mean_distance(points: Points) -> Measured:
    """Return the traffic of one-to-one messages for each destination, all runs together."""
    sent = {count: point.traffic("one-to-one") for count, point in points.items()}
    return average(
        [mean(summary, place(count)).linear(1 / count) for count, summary in sent.items()],
        [summary.runs * count for count, summary in sent.items()],
    )


def broadcast_beats_one_to_one(points: Points, nodes: int, printed: int, text: str, source: str) -> Claim:
    """Hold the number of destinations beyond which one-to-one messages send more than a broadcast."""
    each = mean_distance(points)
    low, high = each.ends
    broadcast = nodes - 1
    beyond = Measured(broadcast / each.value, (broadcast / high, broadcast / low), each.places)
    claim = (
        f"{text} [{broadcast} by the mean traffic for each destination; {printed} and less than {printed + 1} wanted]"
    )
    return hold(claim, source, beyond, low=printed, high=printed + 1)


def broadcast_is_close(points: Points, text: str, source: str) -> Claim:
    """Hold "close for many destinations" against the means: how much more broadcast sends than greedy."""
    many = round(LARGE * max(points))
    excess = {
        count: each.linear(100 / points[count].traffic("greedy").mean)
        for count, each in difference(points, "greedy", "broadcast").items()
    }
    last = max((count for count, each in excess.items() if each.value > CLOSE), default=0)
    first = min((count for count in points if count > last), default=None)
    count, most = greatest({str(count): each for count, each in excess.items() if count > many})
    claim = (
        f"{text} [largest excess over greedy in per cent for k > {many}, at k = {count}; up to {CLOSE:g} taken as "
        f"close, which it is from k = {first or 'none'} on]"
    )
    return hold(claim, source, most, high=CLOSE)


def close_to_optimum(points: Points, text: str, source: str) -> Claim:
    """Hold "very close to the optimum": the largest mean excess over all numbers of destinations, in per cent."""
    excess = difference(points, "optimal", "greedy")
    count, most = greatest({str(k): each.linear(100 / points[k].traffic("optimal").mean) for k, each in excess.items()})
    claim = f"{text} [largest mean excess in per cent, at k = {count}; up to {CLOSE:g} taken as close]"
    return hold(claim, source, most, high=CLOSE)


def closer_at_the_ends(points: Points, text: str, source: str) -> Claim:
    """Hold "especially when k is very small or very large": the mean difference there against the largest of all."""
    excess = difference(points, "optimal", "greedy")
    largest = max(each.value for each in excess.values())
    tenth = max(points) / 10
    ends = {str(k): each for k, each in excess.items() if k <= tenth or k >= max(points) - tenth}
    claim = (
        f"{text} [largest mean difference in the first and last tenth of k, as a share of the largest of all "
        f"({largest:.3g}); up to 0.5 taken as especially close]"
    )
    share = {k: each.linear(1 / largest if largest else 0.0) for k, each in ends.items()}
    return hold(claim, source, greatest(share)[1], high=0.5)


def above_lower_bound(points: Points, methods: Sequence[str], text: str, source: str) -> Claim:
    """Hold "k is a lower bound" against every run of every method: the share that has less traffic."""
    sent = [(count, point.traffic(method)) for count, point in points.items() for method in methods]
    below = sum(summary.min < count for count, summary in sent)
    runs = sum(summary.runs for _, summary in sent)
    claim = f"{text} [share of {runs} messages by all methods, optimal trees among them, that make less]"
    return never(claim, source, below, runs, *map(place, points))
