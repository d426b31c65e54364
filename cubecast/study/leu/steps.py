"""Parallel steps of merges against the number of faults: FTTC, repaired, beside the detour strategy."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from cubecast.study.leu.detour import SCHEME
from cubecast.study.leu.fault_claims import Found, by_dimension, never_of, place
from cubecast.study.leu.fault_study import FaultStudy, fewer
from cubecast.study.leu.merge_point import merge_point
from cubecast.study.model import Claim, Outcome, Parameters, Point
from cubecast.study.statistics import Summary, Z
from cubecast.study.verdict import Measured, greatest, hold, mean, never, quotient

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["STUDIES", "MergeStudy", "Steps"]

STYLES = {"repaired": ("-", "FTTC, repaired"), SCHEME: ("--", "detours of three hops")}

RUNS = {3: 1000, 4: 500, 5: 400, 6: 300, 8: 100, 10: 30}


class MergeStudy(FaultStudy):
    """What merges on the trees of FIND_TREE come to."""

    function = staticmethod(merge_point)
    runs = RUNS
    left_out = "fault patterns without a sink"

    def most_faults(self, dim: int) -> int:
        """Return 2^n faulty links, or N / 4 faulty nodes."""
        return 1 << dim if self.kind == "links" else 1 << dim - 2

    def found(self, parameters: Parameters, outcomes: Sequence[Outcome]) -> Found:
        """Return the outcomes by dimension and number of faults, where there was a sink at all."""
        return {place: outcome for place, outcome in super().found(parameters, outcomes).items() if outcome["sinks"]}


class Steps(MergeStudy):
    """Slowdown, steps / n, of the repaired scheme and of the detour strategy, on the same trees.

    Parameters
    ----------
    name, title, source, kind : str
        As in :class:`FaultStudy`.
    """

    def __init__(self, name: str, title: str, source: str, kind: str) -> None:
        self.name, self.title, self.source, self.kind = name, title, source, kind

    def evaluate(self, parameters: Parameters, outcomes: Sequence[Outcome]) -> tuple[list[Point], list[Claim]]:
        """Return two curves for each dimension, and the claims."""
        found = self.found(parameters, outcomes)
        curves = [
            Point.of(f"{scheme}, n = {dim}", faults, slowdown(dim, outcome, scheme))
            for scheme in STYLES
            for (dim, faults), outcome in found.items()
        ]
        return curves, self.claims(found)

    def claims(self, found: Found) -> list[Claim]:
        """Return the claims of section 3.2, for fewer than 2^(n-1) faulty links or up to N / 4 faulty nodes."""
        some = fewer(found) if self.kind == "links" else found
        which = "fewer than 2^(n-1) faulty links" if self.kind == "links" else "up to N / 4 faulty nodes"
        worst, alone = greatest(by_dimension(some, "alone", "troubled"))
        claims = [
            never_of(
                f"FTTC takes n + k steps, k stages being faulty [share of merges with {which} that take "
                "another number]",
                "theorem 5",
                some,
                "not_n_plus_k",
                "sinks",
            ),
            fewer_than_all(some),
            single("the slowdown of FTTC is less than 2", some, "repaired", lambda steps, dim: steps >= 2 * dim),
            means("the slowdown of FTTC is less than 2", some, "repaired", 2, strict=True),
            hold(
                "that nobody can help, m = 0, has a small probability [share of nodes that cannot send over their "
                f"link, largest at {worst}; up to 0.05 taken as small]",
                "Leu and Kuo, section 3.2",
                alone,
                high=0.05,
            ),
            three_steps(some),
            single("the slowdown of detours is at most 4", some, SCHEME, lambda steps, dim: steps > 4 * dim),
            means("the slowdown of detours is at most 4", some, SCHEME, 4),
            twice_as_slow(some),
        ]
        if self.kind == "nodes":
            claims.append(
                never_of(
                    "the computation slows down by N / (N - f) [share of fault patterns in which a node gets more data "
                    "than that]",
                    "section 3.3",
                    some,
                    "crowded",
                    "sinks",
                )
            )
        return claims

    def draw(self, axes: Axes, parameters: Parameters, points: Sequence[Point]) -> None:
        """Draw the mean slowdown against the number of faults."""
        self.draw_curves(axes, parameters, points, STYLES)
        axes.axhline(2, color="grey", linestyle=":", label="limits of the text, 2 and 4")
        axes.axhline(4, color="grey", linestyle=":")
        self.name_x(axes)
        axes.set_ylabel("mean slowdown, steps / n")
        axes.set_xlim(left=0)
        axes.set_ylim(bottom=1)


def slowdown(dim: int, outcome: Outcome, scheme: str) -> Summary:
    """Return the slowdown of the merges of a point."""
    steps = Summary(**outcome[scheme]["steps"])
    return Summary(steps.mean / dim, steps.std / dim, steps.min / dim, steps.max / dim, steps.runs)


SOURCE = "Leu and Kuo, theorem 5 and after it"


def _cases(found: Found) -> tuple[int, list[str], bool]:
    """Return the merges of all points, the places where more can be had, and whether these are not all."""
    sampled = [place(*at) for at, outcome in found.items() if not outcome["all"]]
    return sum(outcome["sinks"] for outcome in found.values()), sampled, bool(sampled)


def fewer_than_all(found: Found) -> Claim:
    """Hold "k < n" against all merges."""
    merges, places, sampled = _cases(found)
    most = max(outcome["most_faulty"] - dim for (dim, _), outcome in found.items())
    points = sum(outcome["most_faulty"] >= dim for (dim, _), outcome in found.items())
    text = f"k < n [share of merges with points of k = n; largest k - n: {most}]"
    return never(text, "Leu and Kuo, theorem 5", points, merges, *places, sampled=sampled)


def single(text: str, found: Found, scheme: str, beyond: Callable[[float, int], bool]) -> Claim:
    """Hold a limit of the slowdown against every merge: at how many points the slowest one is beyond it."""
    merges, places, sampled = _cases(found)
    slowest = {at: slowdown(at[0], outcome, scheme).max for at, outcome in found.items()}
    dim, faults = max(slowest, key=slowest.__getitem__)
    points = sum(beyond(outcome[scheme]["steps"]["max"], dim) for (dim, _), outcome in found.items())
    claim = (
        f"{text} [points with a merge for which it is not, as a share of the merges; largest steps / n: "
        f"{slowest[dim, faults]:.3g}, at n = {dim}, {faults} faults]"
    )
    return never(claim, SOURCE, points, merges, *places, sampled=sampled)


def means(text: str, found: Found, scheme: str, limit: float, *, strict: bool = False) -> Claim:
    """Hold a limit of the slowdown against the mean of each point."""
    name, largest = greatest({place(*at): _mean_slowdown(at, outcome, scheme) for at, outcome in found.items()})
    return hold(f"{text} [largest mean of steps / n, at {name}]", SOURCE, largest, high=limit, strict=strict)


def _mean_slowdown(at: tuple[int, int], outcome: Outcome, scheme: str) -> Measured:
    """Return the mean slowdown of a point."""
    return mean(slowdown(at[0], outcome, scheme), place(*at), sampled=not outcome["all"])


def three_steps(found: Found) -> Claim:
    """Hold the steps that a faulty stage costs under the detour strategy against three; the stages are as they are."""
    stages = sum(outcome["faulty_stages"] for outcome in found.values())
    steps = {at: Summary(**outcome[SCHEME]["steps"]) for at, outcome in found.items()}
    value = sum((each.mean - dim) * each.runs for (dim, _), each in steps.items()) / stages
    sampled = {at: each for at, each in steps.items() if not found[at]["all"]}
    half = Z * math.sqrt(sum(each.std**2 * each.runs for each in sampled.values())) / stages
    claim = "detours add three steps to a faulty stage [mean (steps - n) / k; within 0.05 taken as three]"
    measured = Measured(value, (value - half, value + half), tuple(place(*at) for at in sampled))
    return hold(claim, "Leu and Kuo, after theorem 5", measured, low=2.95, high=3.05)


def twice_as_slow(found: Found) -> Claim:
    """Hold the factors 2 and 4 against the slowdowns at the most faults of the largest cube."""
    dim, faults = at = max(found)
    steps, detour = (_mean_slowdown(at, found[at], scheme) for scheme in STYLES)
    claim = (
        "detours slow down twice as much as FTTC, 4 against 2 [mean steps of detours / of FTTC at "
        f"n = {dim}, {faults} faults; 1.8 to 2.2 taken as twice]"
    )
    return hold(claim, SOURCE, quotient(detour, steps), low=1.8, high=2.2)


STUDIES = (
    Steps("leu-steps", "slowdown of merges against faulty links", "Leu and Kuo, theorem 5", "links"),
    Steps("leu-steps-nodes", "slowdown of merges against faulty nodes", "Leu and Kuo, theorem 5, section 3.3", "nodes"),
)
