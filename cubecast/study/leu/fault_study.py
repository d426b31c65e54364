"""What the studies of Leu and Kuo have in common: a curve for each dimension against the number of faults."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from cubecast.study.leu.fault_claims import Found, place
from cubecast.study.model import Outcome, Parameters, Point, Study, Task

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["COLOURS", "DIMS", "LINKS", "NODES", "FaultStudy", "fewer", "half"]

DIMS = (3, 4, 5, 6, 8, 10)

FEW = (1 / 128, 1 / 64, 1 / 32, 1 / 16)

LINKS = (*FEW, 1 / 8, 3 / 16, 1 / 4, 3 / 8, 1 / 2, 3 / 4, 1, 1.25, 1.5, 2, 2.5, 3, 3.5, 4, 4.5, 5, 6, 7)
"""Numbers of faulty links, 2^(n-1) being 1."""

NODES = (*FEW, 3 / 32, 1 / 8, 3 / 16, 1 / 4, 3 / 8, 1 / 2, 5 / 8, 3 / 4)
"""Numbers of faulty nodes, N being 1."""

QUICK = (1 / 8, 1 / 4, 1 / 2, 1, 1.5, 2, 3)
"""Those of them that are left if it has to be quick."""

COLOURS = {dim: f"C{at}" for at, dim in enumerate(DIMS)}


def half(dim: int) -> int:
    """Return 2^(n-1): with fewer faulty links there is a sink."""
    return 1 << dim - 1


def fewer(found: Found) -> dict[tuple[int, int], Outcome]:
    """Return the outcomes of fewer than 2^(n-1) faulty links."""
    return {(dim, faults): outcome for (dim, faults), outcome in found.items() if faults < half(dim)}


class FaultStudy(Study):
    """A quantity against the number of faulty links or nodes.

    Attributes
    ----------
    kind : str
        "links" or "nodes".
    function : callable
        That of the tasks.
    runs : mapping
        By dimension: random fault patterns for each number of faults; all there are, if these are not more.
    left_out : str
        What is not in the curves.
    """

    kind: str
    function: Callable[..., Outcome]
    runs: Mapping[int, int]
    left_out = ""

    @abstractmethod
    def most_faults(self, dim: int) -> int:
        """Return the largest number of faults at a dimension."""

    def parameters(self, quick: bool) -> Parameters:
        """Return kind and, by dimension, numbers of faults and of patterns."""
        dims = DIMS[:4] if quick else DIMS
        return {
            "kind": self.kind,
            "dims": list(dims),
            "faults": [self._faults(dim, quick) for dim in dims],
            "runs": [self.runs[dim] // 20 if quick else self.runs[dim] for dim in dims],
            "left_out": self.left_out,
        }

    def _faults(self, dim: int, quick: bool) -> list[int]:
        """Return numbers of faults, from 1 on; 2^(n-1) and one less are among those of links."""
        most = self.most_faults(dim)
        if dim == DIMS[0]:
            return list(range(1, most + 1))
        unit, shares = (half(dim), LINKS) if self.kind == "links" else (1 << dim, NODES)
        numbers = {1, unit - 1 if self.kind == "links" else 2}
        numbers |= {max(1, round(unit * part)) for part in shares if part in QUICK or not quick}
        return sorted(number for number in numbers if number <= most)

    def _places(self, parameters: Parameters) -> Iterator[tuple[int, int, int]]:
        """Yield dimension, number of faults and number of patterns of every point."""
        for dim, numbers, runs in zip(parameters["dims"], parameters["faults"], parameters["runs"], strict=True):
            for faults in numbers:
                yield dim, faults, self.runs_at(parameters, runs, place(dim, faults))

    def tasks(self, parameters: Parameters) -> list[Task]:
        """Return a task for each dimension and number of faults; studies that show the same have the same task."""
        return [
            Task(self.function, {"dim": dim, "kind": self.kind, "faults": faults, "runs": runs})
            for dim, faults, runs in self._places(parameters)
        ]

    def found(self, parameters: Parameters, outcomes: Sequence[Outcome]) -> Found:
        """Return the outcomes by dimension and number of faults."""
        return {
            (dim, faults): outcome for (dim, faults, _), outcome in zip(self._places(parameters), outcomes, strict=True)
        }

    def draw_curve(self, axes: Axes, points: Sequence[Point], curve: str, dim: int, **style: Any) -> None:
        """Draw one curve of one dimension in its colour, against the faults as a multiple of 2^(n-1), or of N."""
        mine = [point for point in points if point.curve == f"{curve}, n = {dim}"]
        unit = half(dim) if self.kind == "links" else 1 << dim
        axes.plot([point.x / unit for point in mine], [point.mean for point in mine], color=COLOURS[dim], **style)

    def draw_curves(
        self, axes: Axes, parameters: Parameters, points: Sequence[Point], styles: Mapping[str, tuple[str, str]]
    ) -> None:
        """Draw curves of all dimensions, each in its style, and tell colours and styles in the legend."""
        for dim in parameters["dims"]:
            for curve, (style, _) in styles.items():
                self.draw_curve(axes, points, curve, dim, ls=style, label=f"n = {dim}" if style == "-" else None)
        for style, label in styles.values():
            axes.plot([], [], color="k", linestyle=style, label=label)

    def name_x(self, axes: Axes) -> None:
        """Name the x-axis."""
        axes.set_xlabel("faulty links / 2$^{n-1}$" if self.kind == "links" else "faulty nodes / N")
