"""How often FIND_TREE finds a sink, and a tree without trouble, against the number of faults."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from cubecast.study.leu.fault_claims import Found, by_dimension, never_of
from cubecast.study.leu.fault_study import FaultStudy, fewer, half
from cubecast.study.leu.patterns import places
from cubecast.study.leu.tree_point import tree_point
from cubecast.study.model import Claim, Outcome, Parameters, Point
from cubecast.study.statistics import share
from cubecast.study.verdict import greatest, hold, least

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
        below = _without_sink(fewer(found))
        first = min(dim for dim, _ in found)
        exactly = _without_sink({at: outcome for at, outcome in found.items() if at[1] == half(at[0])})
        smallest = {at: outcome for at, outcome in exactly.items() if at[0] == first}
        larger = {at: outcome for at, outcome in exactly.items() if at[0] > first}
        more = {at: outcome for at, outcome in found.items() if at[1] == 3 * half(at[0]) // 2}
        worst, success = least(by_dimension(more, "sinks", "patterns"))
        tree, exists = greatest(by_dimension(larger, "exist", "patterns"))
        return [
            never_of(
                "FIND_TREE succeeds if fewer than 2^(n-1) links are faulty [share of patterns without a sink]",
                "theorem 3",
                below,
                "without",
                "patterns",
            ),
            never_of(
                f"at least 2^(n-1) faulty links are tolerated [share of patterns of {half(first)} links at "
                f"n = {first} without a sink]",
                "theorem 7",
                smallest,
                "without",
                "patterns",
            ),
            never_of(
                f"at least 2^(n-1) faulty links are tolerated [share of random patterns of 2^(n-1) links at "
                f"n > {first} without a sink]",
                "theorem 7",
                larger,
                "without",
                "patterns",
            ),
            hold(
                "it succeeds even when the number exceeds 2^(n-1) [share with a sink of patterns of 1.5 times as many "
                f"links, least at {worst}; at least 0.5 taken as success]",
                "Leu and Kuo, section 3.2",
                success,
                low=0.5,
            ),
            hold(
                "with many faulty links there is often no fault-free tree [share of patterns of 2^(n-1) links that "
                f"have one, largest of n > {first} at {tree}; less than 0.5, so that most have none, taken as often]",
                "Leu and Kuo, section 1",
                exists,
                high=0.5,
                strict=True,
            ),
            *self._each(
                "FIND_TREE gives a tree with as few faulty links as possible, if not always [{dim}: share of patterns "
                "of fewer than 2^(n-1) links in which no tree has fewer, else {excess:.2g} more in the mean; more than "
                "0.5 taken as mostly]",
                below,
                "optimal",
                "sinks",
            ),
            *self._each(
                "so it gives a fault-free tree where there is one [{dim}: share of these patterns with a fault-free "
                "tree in which it does; more than 0.5 taken as mostly]",
                below,
                "found",
                "exist",
            ),
        ]

    def _each(self, text: str, found: Found, count: str, of: str) -> list[Claim]:
        """Return a claim about most patterns for each dimension; the text has places for it, and for the excess."""
        claims = []
        for dim, measured in by_dimension(found, count, of).items():
            mine = [outcome for at, outcome in found.items() if f"n = {at[0]}" == dim]
            missed = sum(outcome["sinks"] - outcome["optimal"] for outcome in mine)
            excess = sum(outcome["excess"] for outcome in mine) / max(missed, 1)
            claim = text.format(dim=dim, excess=excess)
            claims.append(hold(claim, "Leu and Kuo, sections 1 and 2.2", measured, low=0.5, strict=True))
        return claims

    def draw(self, axes: Axes, parameters: Parameters, points: Sequence[Point]) -> None:
        """Draw the shares against the number of faults."""
        self.draw_curves(axes, parameters, points, STYLES)
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
        few = _without_sink({at: outcome for at, outcome in found.items() if at[0] * at[1] < half(at[0])})
        eighth = {at: outcome for at, outcome in found.items() if at[1] == 1 << at[0] - 3}
        first = min(dim for dim, _ in found)
        worst, tolerated = least(by_dimension(eighth, "sinks", "patterns"))
        _, pairs = least(by_dimension({(first, 2): found[first, 2]}, "sinks", "patterns"))
        return [
            never_of(
                "a faulty node is like n faulty links, of which fewer than 2^(n-1) leave a sink [share of patterns of "
                "fewer than 2^(n-1) / n nodes without a sink]",
                "theorem 3 and section 3.3",
                few,
                "without",
                "patterns",
            ),
            hold(
                "node failures can be tolerated [share of patterns of N / 8 faulty nodes with a sink, least at "
                f"{worst}; 0.95 taken as tolerated]",
                "Leu and Kuo, section 3.3",
                tolerated,
                low=0.95,
            ),
            hold(
                f"node failures can be tolerated [share of pairs of faulty nodes at n = {first} with a sink; 0.95 "
                "taken as tolerated]",
                "Leu and Kuo, section 3.3",
                pairs,
                low=0.95,
            ),
        ]


def _without_sink(found: Found) -> Found:
    """Return the outcomes with the number of patterns that FIND_TREE has no sink for, ``without``."""
    return {at: {**outcome, "without": outcome["patterns"] - outcome["sinks"]} for at, outcome in found.items()}


STUDIES = (Success(), SuccessNodes())
