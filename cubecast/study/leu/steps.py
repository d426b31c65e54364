"""Parallel steps of merges against the number of faults: FTTC, repaired, beside the detour strategy."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from cubecast.study.leu.detour import SCHEME
from cubecast.study.leu.fault_claims import Share, at_most_claim, below_claim, pooled
from cubecast.study.leu.fault_study import FaultStudy, Found, fewer
from cubecast.study.leu.merge_point import merge_point
from cubecast.study.model import HOLDS, Claim, Outcome, Parameters, Point
from cubecast.study.statistics import Interval, Summary, mean_interval

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
        outcomes = some.values()
        stages = max(outcome["most_faulty"] - dim for (dim, _), outcome in some.items())
        claims = [
            at_most_claim(
                f"FTTC takes n + k steps, k stages being faulty [share of merges with {which} that take "
                "another number]",
                "theorem 5",
                pooled(outcomes, "not_n_plus_k", "sinks"),
                0.0,
            ),
            below_claim("k < n [largest k - n]", "theorem 5", (stages, None), 0),
            below_claim(*largest(some, "repaired", "the slowdown of FTTC is less than 2"), 2),
            below_claim(*largest_mean(some, "repaired", "the slowdown of FTTC is less than 2"), 2),
            at_most_claim(
                "that nobody can help, m = 0, has a small probability [share of nodes that cannot send over their "
                "link; up to 0.05 taken as small]",
                "section 3.2",
                pooled(outcomes, "alone", "troubled"),
                0.05,
            ),
            three_steps(some),
            at_most_claim(*largest(some, SCHEME, "the slowdown of detours is at most 4"), 4),
            at_most_claim(*largest_mean(some, SCHEME, "the slowdown of detours is at most 4"), 4),
            twice_as_slow(some),
        ]
        if self.kind == "nodes":
            claims.append(
                at_most_claim(
                    "the computation slows down by N / (N - f) [share of fault patterns in which a node gets more data "
                    "than that]",
                    "section 3.3",
                    pooled(outcomes, "crowded", "sinks"),
                    0.0,
                )
            )
        return claims

    def draw(self, axes: Axes, parameters: Parameters, points: Sequence[Point]) -> None:
        """Draw the mean slowdown against the number of faults."""
        for dim in parameters["dims"]:
            for scheme, (style, _) in STYLES.items():
                self.draw_curve(axes, points, scheme, dim, ls=style, label=f"n = {dim}" if style == "-" else None)
        for style, label in STYLES.values():
            axes.plot([], [], color="k", linestyle=style, label=label)
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


def largest(found: Found, scheme: str, claim: str) -> tuple[str, str, Share]:
    """Return a claim about the slowdown, its source, and the largest of all merges."""
    dim, faults = max(found, key=lambda place: slowdown(place[0], found[place], scheme).max)
    value = slowdown(dim, found[dim, faults], scheme).max
    return f"{claim} [largest steps / n, at n = {dim}, {faults} faults]", "theorem 5 and after it", (value, None)


def largest_mean(found: Found, scheme: str, claim: str) -> tuple[str, str, Share]:
    """Return a claim about the slowdown, its source, and the largest mean of a point."""
    dim, faults = max(found, key=lambda place: slowdown(place[0], found[place], scheme).mean)
    summary = slowdown(dim, found[dim, faults], scheme)
    interval = None if found[dim, faults]["all"] else mean_interval(summary)
    text = f"{claim} [largest mean of steps / n, at n = {dim}, {faults} faults]"
    return text, "theorem 5 and after it", (summary.mean, interval)


def three_steps(found: Found) -> Claim:
    """Hold the steps that a faulty stage costs under the detour strategy against three."""
    stages = sum(outcome["faulty_stages"] for outcome in found.values())
    steps = sum(outcome[SCHEME]["steps"]["mean"] * outcome["sinks"] for outcome in found.values())
    without = sum(dim * outcome["sinks"] for (dim, _), outcome in found.items())
    value = (steps - without) / stages
    verdict = HOLDS if abs(value - 3) < 0.05 else f"differs by {abs(value - 3):.3g}"
    claim = "detours add three steps to a faulty stage [mean (steps - n) / k; within 0.05 taken as three]"
    return Claim(claim, "Leu and Kuo, after theorem 5", value, None, verdict)


def twice_as_slow(found: Found) -> Claim:
    """Hold the factors 2 and 4 against the slowdowns at the most faults of the largest cube."""
    dim, faults = max(found)
    steps, detour = (slowdown(dim, found[dim, faults], scheme) for scheme in STYLES)
    (low, high), (detour_low, detour_high) = mean_interval(steps), mean_interval(detour)
    interval: Interval = (detour_low / high, detour_high / low)
    ratio = detour.mean / steps.mean
    claim = (
        "detours slow down twice as much as FTTC, 4 against 2 [mean steps of detours / of FTTC at "
        f"n = {dim}, {faults} faults]"
    )
    verdict = HOLDS if interval[0] <= 2 <= interval[1] else f"differs by {abs(ratio - 2):.3g}"
    return Claim(claim, "Leu and Kuo, theorem 5 and after it", ratio, interval, verdict)


STUDIES = (
    Steps("leu-steps", "slowdown of merges against faulty links", "Leu and Kuo, theorem 5", "links"),
    Steps("leu-steps-nodes", "slowdown of merges against faulty nodes", "Leu and Kuo, theorem 5, section 3.3", "nodes"),
)
