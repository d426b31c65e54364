"""The Hamming bounds of Lan 1988, section 7.2, and how large fault sets really get."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from cubecast.golden.common.algorithms.faults import HAMMING_BOUNDS, hamming_bound, obeys_rule
from cubecast.study.model import Claim, Outcome, Parameters, Point, Study, Task
from cubecast.study.statistics import summarise
from cubecast.study.verdict import Measured, hold

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["STUDIES", "HammingBounds", "hamming_point", "lexicode"]

SOURCE = "Lan 1988, section 7.2"

CURVES = {
    "bound": ("C0o-", "Hamming bound, equation 7.2"),
    "lexicode": ("C1s", "a set of nodes 3 hops apart that is there"),
    "half": ("C3:", "half of the nodes: a subcube"),
}


def lexicode(dim: int) -> list[int]:
    """Return nodes with pairwise distance at least 3: each the first that is far enough from all before it."""
    found: list[int] = []
    for node in range(1 << dim):
        if all((node ^ other).bit_count() >= 3 for other in found):
            found.append(node)
    return found


def hamming_point(seed: int, dim: int) -> Outcome:
    """Return the Hamming bound, the size of a set of nodes 3 hops apart, and of the subcube that obeys condition 4."""
    spread, half = lexicode(dim), range(1 << dim - 1)
    if not obeys_rule(dim, spread) or not obeys_rule(dim, half):
        raise ValueError(f"dim must be one in which the sets obey the rule, not {dim}")
    return {"bound": hamming_bound(dim), "lexicode": len(spread), "half": len(half)}


class HammingBounds(Study):
    """The table of section 7.2 against sets that obey condition 4."""

    name = "lan-hamming"
    title = "Hamming bounds on the number of faulty nodes"
    source = "Lan 1988, section 7.2, equations 7.1 and 7.2"

    def parameters(self, quick: bool) -> Parameters:
        """Return the dimensions of the text."""
        return {"dims": sorted(HAMMING_BOUNDS), "left_out": ""}

    def tasks(self, parameters: Parameters) -> list[Task]:
        """Return a task for each dimension."""
        return [Task(hamming_point, {"dim": dim}) for dim in parameters["dims"]]

    def evaluate(self, parameters: Parameters, outcomes: Sequence[Outcome]) -> tuple[list[Point], list[Claim]]:
        """Return bounds and sets, and the claims about them."""
        dims = parameters["dims"]
        curves = [
            Point.of(curve, dim, summarise([outcome[curve]]))
            for curve in CURVES
            for dim, outcome in zip(dims, outcomes, strict=True)
        ]
        wrong = sum(outcome["bound"] != HAMMING_BOUNDS[dim] for dim, outcome in zip(dims, outcomes, strict=True))
        printed = ", ".join(str(HAMMING_BOUNDS[dim]) for dim in dims)
        values = f"for n = 3 to 10 the bounds are {printed} [how many differ]"
        beyond = max(outcome["lexicode"] - outcome["bound"] for outcome in outcomes)
        bound = "no fault set without adjacent nodes exceeds the bound [largest excess of the sets found]"
        factor = max(outcome["half"] / outcome["bound"] for outcome in outcomes)
        stands = (
            "the bound may stand for the largest fault set under condition 4 alone "
            "[how many times as large the largest one, a subcube of half of the nodes, is]"
        )
        return curves, [
            hold(values, SOURCE, Measured(wrong), high=0, unit=" values"),
            hold(bound, SOURCE, Measured(beyond), high=0, unit=" nodes"),
            hold(stands, SOURCE, Measured(factor), high=1),
        ]

    def draw(self, axes: Axes, parameters: Parameters, points: Sequence[Point]) -> None:
        """Draw the sizes against the dimension."""
        for curve, (style, label) in CURVES.items():
            mine = [point for point in points if point.curve == curve]
            axes.plot([point.x for point in mine], [point.mean for point in mine], style, label=label)
        axes.set_xticks(parameters["dims"])
        axes.set_yscale("log", base=2)
        axes.set_xlabel("dimension n")
        axes.set_ylabel("number of faulty nodes")


STUDIES = (HammingBounds(),)
