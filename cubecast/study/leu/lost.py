"""What FTTC loses as printed, as its comments say, and as repaired, against the number of faulty links."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from cubecast.study.leu.fault_claims import Found, never_of
from cubecast.study.leu.fault_study import fewer
from cubecast.study.leu.steps import MergeStudy
from cubecast.study.model import Claim, Outcome, Parameters, Point
from cubecast.study.statistics import Summary, share

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["STUDIES", "Lost"]

STYLES = {
    "printed": ("-", "as printed"),
    "commented": ("--", "as its comment says"),
    "repaired": (":", "repaired"),
}


class Lost(MergeStudy):
    """Share of the data that does not arrive, and of the merges in which something does not."""

    name = "leu-lost"
    title = "data lost by FTTC"
    source = "Leu and Kuo, theorems 6 and 7"
    kind = "links"

    def evaluate(self, parameters: Parameters, outcomes: Sequence[Outcome]) -> tuple[list[Point], list[Claim]]:
        """Return curves of the lost data and of the merges that lose some, and the claims."""
        found = self.found(parameters, outcomes)
        data = [
            Point.of(f"{scheme}, n = {dim}", faults, Summary(**outcome[scheme]["lost"]))
            for scheme in STYLES
            for (dim, faults), outcome in found.items()
        ]
        merges = [
            Point.of(f"{scheme}: merges, n = {dim}", faults, share(outcome[scheme]["incomplete"], outcome["sinks"]))
            for scheme in STYLES
            for (dim, faults), outcome in found.items()
        ]
        return data + merges, self.claims(found)

    def claims(self, found: Found) -> list[Claim]:
        """Return the claims of theorems 6 and 7, for fewer than 2^(n-1) faulty links."""
        below = fewer(found)
        which = "share of merges with fewer than 2^(n-1) faulty links"
        claims = []
        for text, source, count, what in (
            ("FTTC always routes messages successfully", "before theorem 7", "incomplete", "that lose data"),
            ("FTTC is deadlock-free", "theorem 6", "hung", "in which a node waits for ever"),
        ):
            for scheme, (_, label) in STYLES.items():
                mine = {at: {**outcome, **outcome[scheme]} for at, outcome in below.items()}
                claims.append(never_of(f"{text} [{label}: {which} {what}]", source, mine, count, "sinks"))
        return claims

    def draw(self, axes: Axes, parameters: Parameters, points: Sequence[Point]) -> None:
        """Draw the share of the data that is lost."""
        self.draw_curves(axes, parameters, points, STYLES)
        self.name_x(axes)
        axes.set_ylabel("mean share of the data that is lost")
        axes.set_xlim(left=0)
        axes.set_ylim(-0.02, 1.02)


STUDIES = (Lost(),)
