"""How often FIND_TREE finds a sink, and a tree without trouble, against the number of faults."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from cubecast.study.leu.fault_claims import at_least_claim, at_most_claim, pooled
from cubecast.study.leu.fault_study import FaultStudy, Found, fewer, half
from cubecast.study.leu.patterns import places
from cubecast.study.leu.tree_point import tree_point
from cubecast.study.model import Claim, Outcome, Parameters, Point
from cubecast.study.statistics import share

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["STUDIES", "Success", "SuccessNodes"]

CURVES = {"sinks": "sink", "exist": "exists", "found": "fault-free", "optimal": "optimal"}
"""By count of an outcome: curve."""

STYLES = {
    "sink": ("-", "FIND_TREE has a sink"),
    "exists": ("--", "a fault-free tree exists"),
    "fault-free": (":", "FIND_TREE finds one"),
}

RUNS = {3: 1000, 4: 1000, 5: 500, 6: 400, 8: 120, 10: 25}


class Success(FaultStudy):
    """Shares of the patterns of faulty links with a sink, with a fault-free tree, and with one that is found."""

    name = "leu-success"
    title = "success of FIND_TREE against faulty links"
    source = "Leu and Kuo, theorems 3 and 7, section 3.1"
    kind = "links"
    function = staticmethod(tree_point)
    runs = RUNS

    def most_faults(self, dim: int) -> int:
        """Return three quarters of all."""
        return 3 * places(dim, self.kind) // 4

    def evaluate(self, parameters: Parameters, outcomes: Sequence[Outcome]) -> tuple[list[Point], list[Claim]]:
        """Return the curves for each dimension, and the claims."""
        found = self.found(parameters, outcomes)
        curves = [
            Point.of(f"{curve}, n = {dim}", faults, share(outcome[key], outcome["patterns"]))
            for key, curve in CURVES.items()
            for (dim, faults), outcome in found.items()
        ]
        return curves, self.claims(found)

    def claims(self, found: Found) -> list[Claim]:
        """Return the claims about faulty links."""
        below = fewer(found).values()
        exactly = {dim: found[dim, half(dim)] for dim, _ in found}
        more = {dim: found[dim, 3 * half(dim) // 2] for dim, _ in found}
        first, *larger = exactly
        worst = min(more, key=lambda dim: _of_patterns(more[dim], "sinks"))
        tree = max(larger, key=lambda dim: _of_patterns(exactly[dim], "exist"))
        missed = sum(outcome["sinks"] - outcome["optimal"] for outcome in below)
        excess = sum(outcome["excess"] for outcome in below) / max(missed, 1)
        return [
            at_least_claim(
                "FIND_TREE succeeds if fewer than 2^(n-1) links are faulty [share of patterns with a sink]",
                "theorem 3",
                pooled(below, "sinks", "patterns"),
                1.0,
            ),
            at_least_claim(
                f"at least 2^(n-1) faulty links are tolerated [share of patterns of {half(first)} links at "
                f"n = {first} with a sink]",
                "theorem 7",
                pooled([exactly[first]], "sinks", "patterns"),
                1.0,
            ),
            at_least_claim(
                f"at least 2^(n-1) faulty links are tolerated [share of random patterns of 2^(n-1) links at "
                f"n > {first} with a sink]",
                "theorem 7",
                pooled([exactly[dim] for dim in larger], "sinks", "patterns"),
                1.0,
            ),
            at_least_claim(
                "it succeeds even when the number exceeds 2^(n-1) [share with a sink of patterns of 1.5 times as many "
                f"links, least at n = {worst}; at least 0.5 taken as success]",
                "section 3.2",
                pooled([more[worst]], "sinks", "patterns"),
                0.5,
            ),
            at_most_claim(
                "with many faulty links there is often no fault-free tree [share of patterns of 2^(n-1) links that "
                f"have one, largest of n > {first} at n = {tree}; up to 0.5 taken as often none]",
                "section 1",
                pooled([exactly[tree]], "exist", "patterns"),
                0.5,
            ),
            at_least_claim(
                "FIND_TREE gives a tree with as few faulty links as possible, if not always [share of patterns of "
                f"fewer than 2^(n-1) links in which no tree has fewer, else {excess:.2g} more in the mean; 0.5 taken "
                "as mostly]",
                "sections 1 and 2.2",
                pooled(below, "optimal", "sinks"),
                0.5,
            ),
            at_least_claim(
                "so it gives a fault-free tree where there is one [share of these patterns with a fault-free tree in "
                "which it does; 0.5 taken as mostly]",
                "sections 1 and 2.2",
                pooled(below, "found", "exist"),
                0.5,
            ),
        ]

    def draw(self, axes: Axes, parameters: Parameters, points: Sequence[Point]) -> None:
        """Draw the shares against the number of faults."""
        for dim in parameters["dims"]:
            for curve, (style, _) in STYLES.items():
                self.draw_curve(axes, points, curve, dim, ls=style, label=f"n = {dim}" if style == "-" else None)
        for style, label in STYLES.values():
            axes.plot([], [], color="k", linestyle=style, label=label)
        axes.set_xscale("log", base=2)
        self.name_x(axes)
        axes.set_ylabel("share of fault patterns")
        axes.set_ylim(-0.02, 1.02)


class SuccessNodes(Success):
    """The same for faulty nodes; a tree is fault-free if all fault-free nodes can send over their link."""

    name = "leu-success-nodes"
    title = "success of FIND_TREE against faulty nodes"
    source = "Leu and Kuo, section 3.3"
    kind = "nodes"

    def claims(self, found: Found) -> list[Claim]:
        """Return the claims about faulty nodes."""
        few = [outcome for (dim, faults), outcome in found.items() if dim * faults < half(dim)]
        eighth = {dim: found[dim, 1 << dim - 3] for dim, _ in found}
        first = min(eighth)
        worst = min(eighth, key=lambda dim: _of_patterns(eighth[dim], "sinks"))
        return [
            at_least_claim(
                "a faulty node is like n faulty links, of which fewer than 2^(n-1) leave a sink [share of patterns of "
                "fewer than 2^(n-1) / n nodes with a sink]",
                "theorem 3 and section 3.3",
                pooled(few, "sinks", "patterns"),
                1.0,
            ),
            at_least_claim(
                "node failures can be tolerated [share of patterns of N / 8 faulty nodes with a sink, least at "
                f"n = {worst}; 0.95 taken as tolerated]",
                "section 3.3",
                pooled([eighth[worst]], "sinks", "patterns"),
                0.95,
            ),
            at_least_claim(
                f"node failures can be tolerated [share of pairs of faulty nodes at n = {first} with a sink; 0.95 "
                "taken as tolerated]",
                "section 3.3",
                pooled([found[first, 2]], "sinks", "patterns"),
                0.95,
            ),
        ]


def _of_patterns(outcome: Outcome, count: str) -> float:
    """Return a count as a share of the patterns."""
    return pooled([outcome], count, "patterns")[0]


STUDIES = (Success(), SuccessNodes())
