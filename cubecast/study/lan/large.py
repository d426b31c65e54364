"""Beyond Lan 1988: the traffic figures in cubes of 256, 1024 and 4096 nodes, where no optimum is computed."""

from __future__ import annotations

from math import comb

from cubecast.study.lan.traffic_claims import (
    Points,
    broadcast_beats_one_to_one,
    broadcast_is_close,
    greedy_beats,
    greedy_least,
)
from cubecast.study.lan.traffic_study import DECREASING, UNIFORM, TrafficStudy
from cubecast.study.model import Claim, Parameters

__all__ = ["STUDIES", "LargeCube"]

NAMES = {UNIFORM: "uniform", DECREASING: "decreasing"}


class LargeCube(TrafficStudy):
    """All methods but the optimum in a larger cube.

    Parameters
    ----------
    dim : int
        Dimension of the cube.
    ratio : float
        Distribution of the destinations.
    runs : int
        For each number of destinations.
    """

    source = "beyond Lan 1988, figures 5.3, 5.4 and 5.6"
    methods = ("greedy", "ordered", "spare", "broadcast", "one-to-one")
    drawn = ("spare", "ordered", "greedy", "broadcast")
    lower_bound = True

    def __init__(self, dim: int, ratio: float, runs: int) -> None:
        self.dim = dim
        self.ratio = ratio
        self.runs = runs
        self.name = f"lan-{NAMES[ratio]}-{dim}"
        self.title = (
            f"multicast for n = {dim}, {'uniform distribution' if ratio == UNIFORM else 'decreasing probability'}"
        )

    def counts(self, quick: bool) -> tuple[list[int], int]:
        """Return about 50 numbers of destinations, closer together where they are few."""
        points = 9 if quick else 50
        top = (1 << self.dim) - 1
        places = {round(1 + (top - 1) * (place / (points - 1)) ** 2) for place in range(points)}
        return sorted(places), self.runs // 10 if quick else self.runs

    def parameters(self, quick: bool) -> Parameters:
        """Return those of a traffic study; the optimum is left out."""
        level = comb(self.dim, self.dim // 2)
        left_out = f"optimal, for which all sets of the {level} nodes at distance {self.dim // 2} would be tried"
        return {**super().parameters(quick), "left_out": left_out}

    def claims(self, points: Points) -> list[Claim]:
        """Return what the text claims for the 6-cube, held against this one."""
        source = "beyond Lan 1988, section 5.4"
        claims = [
            greedy_least(points, "greedy makes the least traffic of greedy, one-to-one and broadcast", source),
            greedy_beats(points, "spare", "greedy is better than spare global send", source),
            broadcast_is_close(points, "for many destinations, broadcast is close to multicast", source),
        ]
        if self.ratio == UNIFORM:
            nodes = 1 << self.dim
            printed = int((nodes - 1) ** 2 / (self.dim * nodes / 2))
            text = f"for more than {printed} destinations even broadcast is better than one-to-one"
            claims.append(broadcast_beats_one_to_one(points, nodes, printed, text, source))
        return claims


STUDIES = tuple(
    LargeCube(dim, ratio, runs) for ratio in (UNIFORM, DECREASING) for dim, runs in ((8, 1000), (10, 500), (12, 200))
)
