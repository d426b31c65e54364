"""One point of the traffic figures: all methods on the same random destination lists."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from cubecast.study.lan.destinations import IntArray, destination_lists
from cubecast.study.lan.optimum import optimal_traffic
from cubecast.study.lan.traffic import (
    broadcast_traffic,
    greedy_traffic,
    one_to_one_traffic,
    ordered_traffic,
    spare_traffic,
)
from cubecast.study.model import Outcome
from cubecast.study.statistics import Summary, summarise

__all__ = ["METHODS", "TrafficPoint", "traffic_point"]

METHODS = ("greedy", "ordered", "spare", "broadcast", "one-to-one", "optimal")


def traffic_point(seed: int, dim: int, ratio: float, count: int, runs: int, methods: Sequence[str]) -> Outcome:
    """Return the traffic of some methods, and how the methods compare run by run.

    Parameters
    ----------
    seed, dim, ratio, count, runs
        As in :func:`.destinations.destination_lists`.
    methods : sequence of str
        From :data:`METHODS`; ``greedy`` among them.
    """
    sources, lists = destination_lists(seed, dim, ratio, count, runs)
    traffic = {method: _traffic(method, dim, sources, lists) for method in methods}
    bases = [base for base in ("greedy", "optimal") if base in methods]
    return {
        "traffic": {method: summarise(values).to_json() for method, values in traffic.items()},
        "above": {
            base: {method: summarise(values - traffic[base]).to_json() for method, values in traffic.items()}
            for base in bases
        },
        "below_greedy": {method: int((values < traffic["greedy"]).sum()) for method, values in traffic.items()},
    }


class TrafficPoint:
    """The outcome of :func:`traffic_point`.

    Parameters
    ----------
    outcome : dict
        As returned, or as read from JSON.
    """

    def __init__(self, outcome: Mapping[str, Any]) -> None:
        self._outcome = outcome

    def traffic(self, method: str) -> Summary:
        """Return the traffic of a method."""
        return Summary(**self._outcome["traffic"][method])

    def above(self, base: str, method: str) -> Summary:
        """Return by how much a method's traffic is above that of another, ``greedy`` or ``optimal``."""
        return Summary(**self._outcome["above"][base][method])

    def below_greedy(self, method: str) -> int:
        """Return the number of runs in which a method has less traffic than the greedy algorithm."""
        return int(self._outcome["below_greedy"][method])


def _traffic(method: str, dim: int, sources: IntArray, lists: IntArray) -> IntArray:
    """Return the traffic of one method, run by run."""
    match method:
        case "greedy":
            return greedy_traffic(dim, lists)
        case "ordered":
            return ordered_traffic(dim, sources, lists)
        case "spare":
            return spare_traffic(lists)
        case "broadcast":
            return broadcast_traffic(dim, lists)
        case "one-to-one":
            return one_to_one_traffic(lists)
        case "optimal":
            return optimal_traffic(dim, lists)
        case _:
            raise ValueError(f"method must be one of {', '.join(METHODS)}, not {method!r}")
