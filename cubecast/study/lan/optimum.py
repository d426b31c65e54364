"""Traffic of the Optimal Multicast Tree, by dynamic programming over the sets of nodes of a level.

A tree in which every node stands at its distance from the source is as good as its set of nodes: every node has some
neighbour of the level before in the set, and adds one link. So the cheapest tree is the smallest set of nodes that
holds all destinations and is supported in this way. Level by level, away from the source, a table holds the fewest
nodes up to this level for every set of further nodes, beside the destinations, that a tree may have in it; only a node
with a destination beyond it can be of use. Nothing is left to a heuristic.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache

import numpy as np
import numpy.typing as npt

from cubecast.golden.common.algorithms.address import check_dim, useful_dimensions
from cubecast.study.lan.destinations import IntArray

__all__ = ["MAX_DIM", "optimal_traffic"]

MAX_DIM = 6
"""Largest dimension: a level of 20 nodes has 2**20 sets; in the next dimension it would be 2**35."""

NEVER = 100
"""More than any tree costs; with a level's nodes added, it still fits a byte."""

Table = npt.NDArray[np.uint8]
"""Fewest nodes up to a level, for each set of further nodes of it: bit i of the index stands for the i-th."""


def optimal_traffic(dim: int, lists: IntArray) -> IntArray:
    """Return the least traffic of any multicast tree with shortest paths, for each list.

    Parameters
    ----------
    dim : int
        Dimension of the cube, 1 to :data:`MAX_DIM`.
    lists : array of int
        A row per run: destinations relative to the source.

    Raises
    ------
    ValueError
        The dimension is too large.

    Source
    ------
    Lan 1988, section 4.2; run by run that of :func:`cubecast.golden.multicast.algorithms.optimal.optimal_multicast`.
    """
    check_dim(dim, MAX_DIM)
    return np.array([_least(dim, set(row)) for row in lists.tolist()])


def _least(dim: int, wanted: set[int]) -> int:
    """Return the least traffic to some destinations."""
    useful = _below(dim, wanted)
    table: Table = np.zeros(1, dtype=np.uint8)
    further: list[int] = []
    fixed = [0]
    for nodes in _levels(dim)[1:]:
        here = [node for node in nodes if node in wanted]
        extra = [node for node in nodes if useful[node] and node not in wanted]
        table = _next_table(dim, table, (further, fixed), (extra, here))
        further, fixed = extra, here
    return int(table.min())


def _below(dim: int, wanted: set[int]) -> npt.NDArray[np.bool_]:
    """Return which nodes lie on a shortest path to a destination."""
    below = np.zeros(1 << dim, dtype=bool)
    below[list(wanted)] = True
    for j in range(dim):
        halves = below.reshape(-1, 2, 1 << j)
        halves[:, 0] |= halves[:, 1]
    return below


def _next_table(
    dim: int, table: Table, lower: tuple[Sequence[int], Sequence[int]], upper: tuple[Sequence[int], Sequence[int]]
) -> Table:
    """Return the table of a level from that of the level before; levels are (further nodes, destinations)."""
    extra, here = upper
    bits = {node: 1 << place for place, node in enumerate((*extra, *here))}
    supported = _supported(dim, *lower, bits)
    # Only sets that support all destinations of the level will do.
    good = supported >> len(extra) == (1 << len(here)) - 1
    found = np.full(1 << len(extra), NEVER, dtype=np.uint8)
    np.minimum.at(found, supported[good] & (1 << len(extra)) - 1, table[good])
    for place in range(len(extra)):
        halves = found.reshape(-1, 2, 1 << place)
        # What supports a set supports it without one of its nodes too.
        np.minimum(halves[:, 0], halves[:, 1], out=halves[:, 0])
    added: Table = np.minimum(found + _sizes(len(extra)) + np.uint8(len(here)), NEVER).astype(np.uint8)
    return added


def _supported(dim: int, further: Sequence[int], fixed: Sequence[int], bits: dict[int, int]) -> npt.NDArray[np.int32]:
    """Return, for each set of further nodes, what it and the fixed nodes support: an OR of ``bits``."""
    above = {
        node: sum(bits.get(node | 1 << j, 0) for j in useful_dimensions(~node & (1 << dim) - 1))
        for node in (*further, *fixed)
    }
    start = 0
    for node in fixed:
        start |= above[node]
    supported = np.array([start], dtype=np.int32)
    for node in further:
        supported = np.concatenate([supported, supported | np.int32(above[node])])
    return supported


@cache
def _levels(dim: int) -> tuple[tuple[int, ...], ...]:
    """Return the nodes at each distance from the source."""
    return tuple(tuple(node for node in range(1 << dim) if node.bit_count() == weight) for weight in range(dim + 1))


@cache
def _sizes(count: int) -> Table:
    """Return the number of nodes in each set of ``count`` nodes."""
    return np.bitwise_count(np.arange(1 << count)).astype(np.uint8)
