"""Path in one fixed order of dimensions, and theorem 1: the test whether two such paths share a link."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import pairwise

import numpy as np

from cubecast.golden.collective.algorithms.address_order import mirror, prefix_mask, suffix_mask
from cubecast.golden.common.algorithms.address import check_dim, check_node, neighbour, useful_dimensions

__all__ = [
    "ORDERS",
    "are_disjoint",
    "check_order",
    "conflicting_pairs",
    "conflicts",
    "links_of",
    "ring_path",
]

ORDERS = ("descending", "ascending")
"""Orders in which a path may cross its dimensions: highest first, as the paper has it, or lowest first."""

Ends = tuple[int, int]
"""First and last node of a path."""


def check_order(order: str) -> str:
    """Return ``order`` if it is one of :data:`ORDERS`, else raise ``ValueError``."""
    if order not in ORDERS:
        raise ValueError(f"order must be one of {', '.join(ORDERS)}, not {order!r}")
    return order


def ring_path(start: int, end: int, order: str = "descending") -> tuple[int, ...]:
    """Return Path(start, end): the nodes from one to the other, both included.

    Parameters
    ----------
    start, end : int
        Addresses; if they are equal, the path is that node alone.
    order : str
        One of :data:`ORDERS`.

    Raises
    ------
    ValueError
        There is no such order.

    Source: Lin and Chen, section 2.
    """
    dimensions = useful_dimensions(start ^ end)
    path = [start]
    for dimension in dimensions if check_order(order) == "ascending" else reversed(dimensions):
        path.append(neighbour(path[-1], dimension))
    return tuple(path)


def links_of(path: Sequence[int]) -> Iterator[tuple[int, int]]:
    """Yield the links of a path as (from, to): the two directions of a connection are two links."""
    return pairwise(path)


def conflicts(dim: int, first: Ends, second: Ends, order: str = "descending") -> tuple[int, ...]:
    """Return the dimensions, ascending, of the links that two paths share.

    With A, B, C, D for the ends of Path(A, B) and Path(C, D): the paths share a link in a dimension exactly if A and C
    agree there and in all lower ones, B and D agree there and in all higher ones, and A and B differ there. These
    are the ones of the common suffix of A and C combined with the common prefix of B and D. In ascending order the
    dimensions are counted from the other end, so prefix and suffix change places.

    Parameters
    ----------
    dim : int
        Dimension of the cube.
    first, second : tuple of int
        First and last node of each path.
    order : str
        One of :data:`ORDERS`; both paths are routed so.

    Raises
    ------
    ValueError
        ``dim`` is not from 1 to 20, an end is no address, or there is no such order.

    Source: Lin and Chen, theorem 1 and corollary 1.
    """
    check_dim(dim)
    for node in (*first, *second):
        check_node("node", node, dim)
    (a, b), (c, d) = first, second
    if check_order(order) == "descending":
        shared = suffix_mask(a, c, dim) & prefix_mask(b, d, dim)
    else:
        shared = prefix_mask(a, c, dim) & suffix_mask(b, d, dim)
    return useful_dimensions((a ^ b) & shared)


def are_disjoint(dim: int, first: Ends, second: Ends, order: str = "descending") -> bool:
    """Return whether two paths share no link: One((A down-arrow C) circled-times (B up-arrow D)) = 0.

    Parameters
    ----------
    dim : int
        Dimension of the cube.
    first, second : tuple of int
        First and last node of each path.
    order : str
        One of :data:`ORDERS`; both paths are routed so.

    Raises
    ------
    ValueError
        ``dim`` is not from 1 to 20, an end is no address, or there is no such order.

    Source: Lin and Chen, theorem 1.
    """
    return not conflicts(dim, first, second, order)


def conflicting_pairs(dim: int, ends: Sequence[Ends], order: str = "descending") -> Iterator[tuple[int, int]]:
    """Yield every pair (i, j), i < j, of paths that share a link: theorem 1 on all pairs, a row of them at a time.

    Parameters
    ----------
    dim : int
        Dimension of the cube.
    ends : sequence of tuple of int
        First and last node of each path.
    order : str
        One of :data:`ORDERS`; all paths are routed so.

    Raises
    ------
    ValueError
        ``dim`` is not from 1 to 20, an end is no address, or there is no such order.

    Source: Lin and Chen, theorem 1.
    """
    check_dim(dim)
    for node in (node for pair in ends for node in pair):
        check_node("node", node, dim)
    if check_order(order) == "ascending":
        ends = [(mirror(a, dim), mirror(b, dim)) for a, b in ends]
    table = np.array(ends, dtype=np.int32).reshape(-1, 2)
    starts, stops = np.ascontiguousarray(table[:, 0]), np.ascontiguousarray(table[:, 1])
    crossed = starts ^ stops
    for i in range(len(ends) - 1):
        suffix = starts[i + 1 :] ^ starts[i]
        # Ones below the lowest one of the difference; for equal starts, ones everywhere.
        suffix = (suffix & -suffix) - 1
        shared, differing = suffix & crossed[i], stops[i + 1 :] ^ stops[i]
        # True where the highest one of the first word lies above that of the second: in the common prefix.
        for j in np.flatnonzero(shared & ~differing > differing):
            yield i, i + 1 + int(j)
