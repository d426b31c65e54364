"""The exact Optimal Multicast Tree: least traffic among all trees that reach everybody over shortest paths."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

import numpy as np
import numpy.typing as npt

from cubecast.golden.common.algorithms.address import distance, neighbour, useful_dimensions
from cubecast.golden.multicast.algorithms.tree import (
    MulticastTree,
    Request,
    broadcast_destinations,
    check_request,
    tree_of_parents,
)

__all__ = ["MAX_OUTLYING", "MAX_TABLE_BITS", "optimal_broadcast", "optimal_multicast"]

MAX_OUTLYING = 16
"""Most outlying destinations, those without a listed neighbour nearer the source, an exact tree is computed for."""

MAX_TABLE_BITS = 26
"""Largest sum of dimension and number of outlying destinations: the table has two to the power of it entries."""

_NEVER = 10_000


def optimal_multicast(dim: int, source: int, destinations: Iterable[int], faults: Iterable[int] = ()) -> MulticastTree:
    """Return a multicast tree with the least traffic.

    A destination with a neighbour nearer the source that is the source or a destination itself hangs on that
    neighbour: it costs one link there as anywhere. For the others, the outlying ones, dynamic programming over
    their subsets and the nodes on shortest paths finds the cheapest trees, which may start from the source and
    from every destination, since these are in the tree anyhow: the cheapest tree from a node to a set either
    starts with one link or splits the set in two.

    The answer is always the same one of the equally good trees: parents in low dimensions before high ones, roots
    nearer to address 0 (relative to the source) before others, a link before a split. Destinations that have no
    fault-free shortest path are undeliverable and cost nothing.

    Parameters
    ----------
    dim : int
        Dimension of the cube.
    source : int
        Address of the source.
    destinations : iterable of int
        Destination list.
    faults : iterable of int
        Faulty nodes.

    Raises
    ------
    ValueError
        More than :data:`MAX_OUTLYING` outlying destinations, or ``dim`` plus their number above
        :data:`MAX_TABLE_BITS`.

    Source
    ------
    Lan 1988, section 4.2: conditions (a), (b), (c) of the Optimal Multicast Tree.
    """
    request = check_request(dim, source, destinations, faults)
    reached = {node ^ request.source for node in request.destinations if _reachable(request, node)} | {0}
    parents: dict[int, int] = {}
    outlying = []
    for node in sorted(reached - {0}):
        nearer = [parent for j in useful_dimensions(node) if (parent := node ^ 1 << j) in reached]
        if nearer:
            parents[node] = nearer[0]
        else:
            outlying.append(node)
    if len(outlying) > MAX_OUTLYING:
        raise ValueError(
            f"destinations must hold at most {MAX_OUTLYING} nodes without a listed neighbour nearer the source "
            f"for an optimal tree, not {len(outlying)}"
        )
    if len(outlying) + request.dim > MAX_TABLE_BITS:
        raise ValueError(
            f"dim must be at most {MAX_TABLE_BITS - len(outlying)} for an optimal tree to {len(outlying)} nodes "
            f"without a listed neighbour nearer the source, not {request.dim}"
        )
    costs = _costs(request, outlying)
    for subset, root in _plant(outlying, sorted(reached), costs):
        _trace(request.dim, costs, subset, root, parents)
    absolute = {node ^ request.source: parent ^ request.source for node, parent in parents.items()}
    return tree_of_parents(request, "optimal", absolute)


def optimal_broadcast(dim: int, source: int, faults: Iterable[int] = ()) -> MulticastTree:
    """Return a broadcast tree with the least traffic: one link for every node that can be reached.

    Every node on a fault-free shortest path is itself a destination, so any choice of parents is optimal; here
    it is the one in the highest dimension, as in BROADCAST.2. Fault-free nodes without a fault-free shortest path
    are undeliverable.

    Source
    ------
    Lan 1988, section 4.2 with k = 2**n - 1.
    """
    request = check_request(dim, source, (), faults)
    request = replace(request, destinations=broadcast_destinations(request))
    parents: dict[int, int] = {}
    for node in sorted(request.destinations, key=lambda node: distance(node, request.source)):
        for dimension in reversed(useful_dimensions(node ^ request.source)):
            parent = neighbour(node, dimension)
            if parent == request.source or parent in parents:
                parents[node] = parent
                break
    return tree_of_parents(request, "optimal", parents, lists=False)


def _reachable(request: Request, node: int) -> bool:
    """Return whether a fault-free shortest path leads from the source to ``node``."""
    if not request.faults:
        return True
    layer = {node} - request.faults
    for _ in range(distance(request.source, node)):
        layer = {neighbour(v, j) for v in layer for j in useful_dimensions(v ^ request.source)} - request.faults
    return bool(layer)


def _submasks(mask: int) -> npt.NDArray[np.int64]:
    """Return every number whose 1's are a subset of those of ``mask``, ascending."""
    found = np.zeros(1, dtype=np.int64)
    for dimension in useful_dimensions(mask):
        found = np.concatenate([found, found | 1 << dimension])
    return found


def _parts(subset: int) -> npt.NDArray[np.int64]:
    """Return one half of each way to split ``subset`` in two: the half that holds its lowest member."""
    lowest = subset & -subset
    return (_submasks(subset ^ lowest) | lowest)[:-1]


def _costs(request: Request, terminals: list[int]) -> npt.NDArray[np.int16]:
    """Return ``table[subset, node]``: links of the cheapest tree from ``node`` to the subset of ``terminals``.

    Nodes and terminals are relative to the source; the entry is at least ``_NEVER`` where there is no tree.
    """
    table = np.full((1 << len(terminals), 1 << request.dim), _NEVER, dtype=np.int16)
    faulty = np.zeros(1 << request.dim, dtype=bool)
    faulty[[node ^ request.source for node in request.faults]] = True
    weights = np.array([node.bit_count() for node in range(1 << request.dim)], dtype=np.int8)
    common = [(1 << request.dim) - 1] * (1 << len(terminals))
    table[0, :] = 0
    for subset in range(1, 1 << len(terminals)):
        lowest = subset & -subset
        common[subset] = common[subset ^ lowest] & terminals[lowest.bit_length() - 1]
        nodes = _submasks(common[subset])
        row = table[subset]
        if subset == lowest:
            row[common[subset]] = 0
        else:
            parts = _parts(subset)
            split = table[parts[:, None], nodes] + table[(subset ^ parts)[:, None], nodes]
            row[nodes] = np.minimum(split.min(axis=0), _NEVER)
        for weight in range(common[subset].bit_count() - 1, -1, -1):
            here = nodes[(weights[nodes] == weight) & ~faulty[nodes]]
            for dimension in useful_dimensions(common[subset]):
                row[here] = np.minimum(row[here], row[here | 1 << dimension] + 1)
    return table


def _plant(terminals: list[int], roots: list[int], costs: npt.NDArray[np.int16]) -> list[tuple[int, int]]:
    """Return the cheapest trees that together reach all ``terminals``, as (subset of terminals, root)."""
    single = costs[:, roots].astype(np.int64)
    subsets = np.arange(len(single))
    for index, root in enumerate(roots):
        if root in terminals:
            # a terminal is no root of its own tree: it has yet to be reached
            single[subsets >> terminals.index(root) & 1 == 1, index] = _NEVER
    cheapest = single.min(axis=1)
    cheapest[0] = 0
    for subset in range(1, len(single)):
        parts = _parts(subset)
        if len(parts):
            cheapest[subset] = min(cheapest[subset], (cheapest[parts] + cheapest[subset ^ parts]).min())
    trees = []
    pending = [len(single) - 1]
    while pending:
        subset = pending.pop()
        if subset == 0:
            continue
        good = np.flatnonzero(single[subset] == cheapest[subset])
        if len(good):
            trees.append((subset, roots[int(good[0])]))
        else:
            parts = _parts(subset)
            part = int(parts[np.argmin(cheapest[parts] + cheapest[subset ^ parts])])
            pending += [part, subset ^ part]
    return trees


def _trace(dim: int, costs: npt.NDArray[np.int16], subset: int, root: int, parents: dict[int, int]) -> None:
    """Read the cheapest tree from ``root`` to a subset of terminals out of the table of costs, into ``parents``."""
    pending = [(subset, root)]
    while pending:
        subset, node = pending.pop()
        cost = int(costs[subset, node])
        if cost == 0:
            continue
        for dimension in range(dim):
            ahead = node | 1 << dimension
            if ahead != node and int(costs[subset, ahead]) + 1 == cost:
                parents[ahead] = node
                pending.append((subset, ahead))
                break
        else:
            parts = _parts(subset)
            part = int(parts[np.argmin(costs[parts, node] + costs[subset ^ parts, node])])
            pending += [(part, node), (subset ^ part, node)]
