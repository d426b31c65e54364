"""Rings of the groups of one point: how long their paths are, whether they share links, in which order they cross."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from graphlib import CycleError, TopologicalSorter
from itertools import pairwise

from cubecast.golden.collective.algorithms.group_ring import GroupRing, gray_ring, group_ring
from cubecast.study.model import Outcome
from cubecast.study.statistics import summarise
from cubecast.study.subsets import subsets

__all__ = ["METHODS", "has_one_order", "ring_point"]

METHODS: dict[str, Callable[[int, Sequence[int]], GroupRing]] = {
    "ring": group_ring,
    "gray": gray_ring,
    "sequence": lambda dim, nodes: gray_ring(dim, nodes, "descending"),
}
"""The method of the text; along the Gray code, through the nodes between; its sequence over shortest paths."""


def ring_point(seed: int, dim: int, members: int, runs: int) -> Outcome:
    """Return what the rings of groups of ``members`` nodes are like.

    Returns
    -------
    dict
        ``groups``; ``all``, whether these are all there are; for each of :data:`METHODS`: ``longest`` and ``mean``,
        summaries of the links of a ring's longest path and of all its paths in the mean, ``shared``, rings in which
        two paths share a link, and ``one_order``, rings with an order of dimensions that all paths keep to.
    """
    exhaustive, drawn = subsets(seed, "lin-groups", (dim, members), 1 << dim, members, runs)
    groups = list(drawn)
    outcome: Outcome = {"groups": len(groups), "all": exhaustive}
    for method, make in METHODS.items():
        rings = [make(dim, group) for group in groups]
        outcome[method] = {
            "longest": summarise([ring.max_hops for ring in rings]).to_json(),
            "mean": summarise([ring.hops / members for ring in rings]).to_json(),
            "shared": sum(not ring.disjoint for ring in rings),
            "one_order": sum(map(has_one_order, rings)),
        }
    return outcome


def has_one_order(ring: GroupRing) -> bool:
    """Return whether there is an order of the dimensions that all paths keep to, and no path crosses one twice."""
    sorter: TopologicalSorter[int] = TopologicalSorter()
    for path in ring.paths:
        crossed = [(start ^ end).bit_length() for start, end in pairwise(path)]
        for before, after in pairwise(crossed):
            sorter.add(after, before)
    try:
        sorter.prepare()
    except CycleError:
        return False
    return True
