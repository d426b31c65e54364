"""Figure 7.2 of Lan 1988, and beyond it: how often every fault-free node has at most one faulty neighbour."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from cubecast.study.lan.destinations import IntArray
from cubecast.study.model import Claim, Outcome, Parameters, Point, Study, Task
from cubecast.study.seeds import generator
from cubecast.study.statistics import share
from cubecast.study.verdict import Measured, hold, never, portion

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["STUDIES", "FaultModel", "adjacent", "fault_model_point", "fault_sets", "obeying"]


def fault_sets(seed: int, dim: int, faults: int, runs: int) -> IntArray:
    """Return random sets of faulty nodes, a row per run, every set equally likely."""
    sets = np.empty((runs, faults), dtype=np.int64)
    for run in range(runs):
        random = generator(seed, "lan-faults", dim, faults, run)
        sets[run] = random.choice(1 << dim, size=faults, replace=False, shuffle=False)
    return sets


def obeying(dim: int, sets: IntArray) -> npt.NDArray[np.bool_]:
    """Return which sets leave every fault-free node at most one faulty neighbour.

    Source
    ------
    Lan 1988, section 7.2, condition 4; run by run that of :func:`cubecast.golden.common.algorithms.faults.obeys_rule`.
    """
    near = np.sort((sets[:, :, None] ^ 1 << np.arange(dim)).reshape(len(sets), -1), axis=1)
    runs, places = np.nonzero(near[:, 1:] == near[:, :-1])
    # A node that is met twice has two faulty neighbours; it counts if it is fault-free itself.
    met = near[runs, places] + (runs << dim)
    faulty = (sets + (np.arange(len(sets)) << dim)[:, None]).ravel()
    obeys = np.ones(len(sets), dtype=bool)
    obeys[runs[~np.isin(met, faulty)]] = False
    return obeys


def adjacent(dim: int, sets: IntArray) -> npt.NDArray[np.bool_]:
    """Return which sets have two nodes that are neighbours."""
    faulty = sets + (np.arange(len(sets)) << dim)[:, None]
    found = np.zeros(len(sets), dtype=bool)
    for j in range(dim):
        found |= np.isin(faulty ^ 1 << j, faulty).any(axis=1)
    return found


def fault_model_point(seed: int, dim: int, faults: int, runs: int) -> Outcome:
    """Return how many of ``runs`` random fault sets obey condition 4, and how many of these have adjacent nodes."""
    sets = fault_sets(seed, dim, faults, runs)
    obeys = obeying(dim, sets)
    return {"obeying": int(obeys.sum()), "adjacent": int(adjacent(dim, sets[obeys]).sum())}


class FaultModel(Study):
    """The probability that condition 4 holds, against the number of faulty nodes.

    Parameters
    ----------
    name, title, source : str
        As in :class:`Study`.
    dims : sequence of int
        Dimensions, a curve each.
    faults : sequence of int
        Numbers of faulty nodes, from 1 to 4 without a gap.
    runs : int
        Fault sets for each point.
    """

    def __init__(
        self, name: str, title: str, source: str, *, dims: Sequence[int], faults: Sequence[int], runs: int
    ) -> None:
        self.name = name
        self.title = title
        self.source = source
        self.dims = dims
        self.faults = faults
        self.runs = runs

    def parameters(self, quick: bool) -> Parameters:
        """Return dimensions, numbers of faulty nodes, and runs."""
        return {
            "dims": list(self.dims),
            "faults": [1, *self.faults[SOME - 1 :: 3]] if quick else list(self.faults),
            "runs": self.runs // 10 if quick else self.runs,
            "left_out": "more than half of all nodes" if max(self.faults) > 1 << min(self.dims) - 1 else "",
        }

    def _places(self, parameters: Parameters) -> list[tuple[int, int]]:
        """Return dimension and number of faulty nodes of every point."""
        return [
            (dim, faults) for dim in parameters["dims"] for faults in parameters["faults"] if faults <= 1 << dim - 1
        ]

    def _runs(self, parameters: Parameters, dim: int, faults: int) -> int:
        """Return how many fault sets a point has."""
        return self.runs_at(parameters, parameters["runs"], _place(dim, faults))

    def tasks(self, parameters: Parameters) -> list[Task]:
        """Return a task for each dimension and number of faulty nodes."""
        return [
            Task(fault_model_point, {"dim": dim, "faults": faults, "runs": self._runs(parameters, dim, faults)})
            for dim, faults in self._places(parameters)
        ]

    def evaluate(self, parameters: Parameters, outcomes: Sequence[Outcome]) -> tuple[list[Point], list[Claim]]:
        """Return a curve for each dimension, and the claims of section 7.2."""
        places = self._places(parameters)
        found = dict(zip(places, outcomes, strict=True))
        curves = [
            Point.of(f"n = {dim}", at, share(found[dim, at]["obeying"], self._runs(parameters, dim, at)))
            for dim, at in places
        ]
        return curves, [
            _one_fault(found, {dim: self._runs(parameters, dim, 1) for dim in parameters["dims"]}),
            *(_rare_neighbours(dim) for dim in (min(self.dims), max(self.dims))),
            *(_without_neighbours(found, dim) for dim in (min(self.dims), max(self.dims))),
        ]

    def draw(self, axes: Axes, parameters: Parameters, points: Sequence[Point]) -> None:
        """Draw the probabilities against the number of faulty nodes."""
        from matplotlib.ticker import MaxNLocator

        for dim in parameters["dims"]:
            mine = [point for point in points if point.curve == f"n = {dim}"]
            axes.plot([point.x for point in mine], [point.mean for point in mine], ".-", label=f"n = {dim}")
        axes.xaxis.set_major_locator(MaxNLocator(integer=True))
        axes.set_xlabel("number of faulty nodes")
        axes.set_ylabel("probability that the fault model holds")
        axes.set_xlim(left=0)
        axes.set_ylim(0, 1.02)


Found = Mapping[tuple[int, int], Mapping[str, Any]]
"""Outcomes by dimension and number of faulty nodes."""

SOURCE = "Lan 1988, section 7.2"

SOME = 4
"""Number of faulty nodes at which adjacent ones are counted."""


def _place(dim: int, faults: int) -> str:
    """Return the place of a point."""
    return f"n = {dim}, {faults} faults"


def _one_fault(found: Found, runs: Mapping[int, int]) -> Claim:
    """Hold the model against a single faulty node, for which it must always hold."""
    broken, total = sum(runs[dim] - found[dim, 1]["obeying"] for dim in runs), sum(runs.values())
    claim = f"one faulty node never breaks the model [share of {total} sets of one node that do]"
    return never(claim, SOURCE, broken, total, *(_place(dim, 1) for dim in runs))


def _rare_neighbours(dim: int) -> Claim:
    """Hold "the probability that two nodes are adjacent is very small" against its value."""
    claim = (
        f"the probability that two random nodes are adjacent is very small [n/(2^n - 1) for n = {dim}; "
        "up to 0.05 taken as very small]"
    )
    return hold(claim, SOURCE, Measured(dim / ((1 << dim) - 1)), high=0.05)


def _without_neighbours(found: Found, dim: int) -> Claim:
    """Hold what follows from it: among the sets that obey condition 4, those with adjacent nodes hardly count."""
    outcome = found[dim, SOME]
    adjacent, obeying = outcome["adjacent"], outcome["obeying"]
    claim = (
        "so hardly any fault set that obeys has adjacent nodes, and the Hamming bound may stand for all "
        f"[share for n = {dim} of the {obeying} sets of {SOME} nodes that obey; up to 0.05 taken as hardly any]"
    )
    return hold(claim, SOURCE, portion(adjacent, obeying, _place(dim, SOME)), high=0.05)


STUDIES = (
    FaultModel(
        "lan-7.2",
        "how often the fault model holds",
        "Lan 1988, figure 7.2",
        dims=range(6, 11),
        faults=range(1, 21),
        runs=5000,
    ),
    FaultModel(
        "lan-7.2-large",
        "how often the fault model holds, up to 65,536 nodes",
        "beyond Lan 1988, figure 7.2",
        dims=range(6, 17, 2),
        faults=[1, 2, 3, *range(4, 81, 4)],
        runs=2000,
    ),
)
