"""Links from one member of a ring to the next: rings of Lin and Chen beside the Gray-code ring."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from cubecast.golden.collective.algorithms.group_ring import gray_ring
from cubecast.study.lin.ring_point import METHODS, ring_point
from cubecast.study.model import Claim, Outcome, Parameters, Point, Study, Task
from cubecast.study.statistics import Summary
from cubecast.study.verdict import Measured, hold, least, mean, never, quotient

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["RUNS", "STUDIES", "Found", "Hops"]

RUNS = {3: 100, 4: 1000, 6: 1000, 8: 500, 10: 100, 12: 40}
"""Random groups for each number of members, by dimension; all there are, if these are not more."""

STYLES = {
    "ring": ("-", "method of the text"),
    "gray": ("--", "along the Gray code"),
    "sequence": (":", "its sequence, shortest paths"),
}

FEW = 8
"""Number of members at which the growth with the dimension is measured."""

SOURCE = "Lin and Chen, section 1"

Found = Mapping[tuple[int, int], Outcome]
"""Outcomes by dimension and number of members."""


class Hops(Study):
    """Links of the longest path of a ring, or of a path in the mean, against the number of members.

    Parameters
    ----------
    name, title, source : str
        As in :class:`Study`.
    quantity : str
        "longest" or "mean".
    """

    def __init__(self, name: str, title: str, source: str, quantity: str) -> None:
        self.name, self.title, self.source, self.quantity = name, title, source, quantity

    def parameters(self, quick: bool) -> Parameters:
        """Return dimensions and, for each, numbers of members and of groups."""
        dims = [dim for dim in RUNS if dim <= 8] if quick else list(RUNS)
        return {
            "dims": dims,
            "members": [_sizes(dim) for dim in dims],
            "runs": [max(20, RUNS[dim] // 20) if quick else RUNS[dim] for dim in dims],
            "left_out": "",
        }

    def tasks(self, parameters: Parameters) -> list[Task]:
        """Return a task for each dimension and number of members; both quantities come from the same."""
        runs = dict(zip(parameters["dims"], parameters["runs"], strict=True))
        return [
            Task(
                ring_point,
                {"dim": dim, "members": members, "runs": self.runs_at(parameters, runs[dim], _place(dim, members))},
            )
            for dim, members in _places(parameters)
        ]

    def evaluate(self, parameters: Parameters, outcomes: Sequence[Outcome]) -> tuple[list[Point], list[Claim]]:
        """Return a curve for each method and dimension, and the claims of the text."""
        found = dict(zip(_places(parameters), outcomes, strict=True))
        curves = [
            Point.of(f"{method}, n = {dim}", members, Summary(**outcome[method][self.quantity]))
            for method in METHODS
            for (dim, members), outcome in found.items()
        ]
        if self.quantity == "mean":
            return curves, [_shorter(found, "mean", "path in the mean")]
        return curves, [
            _limited(found),
            _disjoint(found),
            _growth(found),
            _shorter(found, "longest", "longest path"),
            _whole(found),
            *_example(),
            _no_order(found),
        ]

    def draw(self, axes: Axes, parameters: Parameters, points: Sequence[Point]) -> None:
        """Draw the mean over the groups against the number of members, both logarithmic."""
        for at, dim in enumerate(parameters["dims"]):
            for method, (style, _) in STYLES.items():
                mine = [point for point in points if point.curve == f"{method}, n = {dim}"]
                label = f"n = {dim}" if method == "ring" else None
                axes.plot(
                    [point.x for point in mine], [point.mean for point in mine], style, color=f"C{at}", label=label
                )
        for style, label in STYLES.values():
            axes.plot([], [], style, color="k", label=label)
        axes.set_xscale("log", base=2)
        axes.set_yscale("log", base=2)
        axes.set_xlabel("number of members")
        axes.set_ylabel(f"links, {'longest path' if self.quantity == 'longest' else 'mean of all paths'}")


def _sizes(dim: int) -> list[int]:
    """Return numbers of members: powers of two, and halfway between them, up to all nodes."""
    return sorted({2, *(1 << k for k in range(1, dim + 1)), *(3 << k for k in range(dim - 1))})


def _places(parameters: Parameters) -> list[tuple[int, int]]:
    """Return dimension and number of members of every point."""
    return [
        (dim, members)
        for dim, sizes in zip(parameters["dims"], parameters["members"], strict=True)
        for members in sizes
    ]


def _place(dim: int, members: int) -> str:
    """Return the place of a point."""
    return f"n = {dim}, {members} members"


def _mean(found: Found, at: tuple[int, int], method: str, quantity: str) -> Measured:
    """Return the mean of a point."""
    return mean(Summary(**found[at][method][quantity]), _place(*at), sampled=not found[at]["all"])


def _rings(found: Found) -> tuple[int, list[str]]:
    """Return how many rings there are, and the places where there can be more."""
    places = [_place(*at) for at, outcome in found.items() if not outcome["all"]]
    return sum(outcome["groups"] for outcome in found.values()), places


def _limited(found: Found) -> Claim:
    """Hold the limit of n links against every path."""
    beyond = {at: outcome["ring"]["longest"]["max"] - at[0] for at, outcome in found.items()}
    rings, places = _rings(found)
    claim = (
        f"the distance of adjacent members is limited to n links [points with a longer path, as a share of {rings} "
        f"rings; longest path minus n: {max(beyond.values()):g}]"
    )
    return never(claim, SOURCE, sum(excess > 0 for excess in beyond.values()), rings, *places, sampled=bool(places))


def _disjoint(found: Found) -> Claim:
    """Hold the absence of shared links against every ring."""
    shared = sum(outcome["ring"]["shared"] for outcome in found.values())
    rings, places = _rings(found)
    claim = f"rings have disjoint links only [share of {rings} rings in which two paths share a link]"
    return never(claim, "Lin and Chen, section 4, theorems 3 to 5", shared, rings, *places, sampled=bool(places))


def _growth(found: Found) -> Claim:
    """Hold the order 2^n of the Gray-code ring's longest path against its growth with the dimension."""
    dims = [dim for dim, members in found if members == FEW]
    low, high = sorted(dims)[-2:]
    ratio = quotient(*(_mean(found, (dim, FEW), "gray", "longest") for dim in (high, low)))
    root = 1 / (high - low)
    ends = ratio.ends[0] ** root, ratio.ends[1] ** root
    claim = (
        f"the distance along the Gray code is O(2^n) [factor for each dimension from n = {low} to {high} of the mean "
        f"longest path of {FEW} members; 1.8 to 2.2 taken as 2]"
    )
    return hold(claim, SOURCE, Measured(ratio.value**root, ends, ratio.places), low=1.8, high=2.2)


def _shorter(found: Found, quantity: str, text: str) -> Claim:
    """Hold "excessive latency for randomly selected nodes" against the ratio of the means, where it is least."""
    some = [(dim, members) for dim, members in found if members <= 1 << dim - 1]
    name, ratio = least(
        {
            f"{members} members at n = {dim}": quotient(
                _mean(found, (dim, members), "gray", quantity), _mean(found, (dim, members), "ring", quantity)
            )
            for dim, members in some
        }
    )
    claim = (
        f"along the Gray code there is more latency than in a ring of the method [{text}: least ratio for up to half "
        f"of the nodes, with {name}]"
    )
    return hold(claim, SOURCE, ratio, low=1.0, strict=True)


def _whole(found: Found) -> Claim:
    """Hold "a perfect structure for all the nodes" against the rings of all nodes."""
    dims = [dim for dim, members in found if members == 1 << dim]
    value = max(found[dim, 1 << dim]["gray"]["longest"]["max"] for dim in dims)
    other = max(found[dim, 1 << dim]["ring"]["longest"]["max"] for dim in dims)
    claim = (
        "for all the nodes the Gray-code ring is perfect, a link to the next [largest number of links of a path; in "
        f"rings of the method up to {other:.3g}]"
    )
    return hold(claim, SOURCE, Measured(value), high=1)


def _example() -> list[Claim]:
    """Hold the example, nodes 1, 4 and 6 of the 3-cube, against its paths: are they longer than needed?"""
    ring = gray_ring(3, [1, 4, 6])
    claims = []
    for start, end in ((1, 6), (6, 4)):
        path = ring.paths[ring.ring.index(start)]
        more = len(path) - 1 - (start ^ end).bit_count()
        claim = (
            f"example of the members 1, 4 and 6 at n = 3: unwanted latency from {start} to {end} along the Gray code "
            "[links above the shortest path; at least 1 taken as unwanted]"
        )
        claims.append(hold(claim, SOURCE, Measured(more), low=1))
    return claims


def _no_order(found: Found) -> Claim:
    """Hold "no single dimension order" against the Gray-code rings, those of all nodes left out."""
    some = {(dim, members): outcome for (dim, members), outcome in found.items() if members <= 1 << dim - 1}
    kept = sum(outcome["gray"]["one_order"] for outcome in some.values())
    rings, places = _rings(some)
    claim = (
        "along the Gray code there is no single order of dimensions [share of groups of up to half of the nodes in "
        "which all paths keep to one]"
    )
    return never(claim, SOURCE, kept, rings, *places, sampled=bool(places))


STUDIES = (
    Hops("lin-hops", "longest path of rings", "Lin and Chen, sections 1 and 5", "longest"),
    Hops("lin-hops-mean", "paths of rings in the mean", "Lin and Chen, section 1", "mean"),
)
