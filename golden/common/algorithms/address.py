"""Node addresses of a hypercube: bits, relative addresses, the function W_i, nearest common ancestors."""

from __future__ import annotations

import functools
import operator
from collections.abc import Iterable
from typing import Any

__all__ = [
    "MAX_DIM",
    "check_dim",
    "check_integer",
    "check_items",
    "check_node",
    "check_source",
    "distance",
    "nearest_common_ancestor",
    "neighbour",
    "nth_dimension",
    "path_by_dimensions",
    "useful_dimensions",
]

MAX_DIM = 20
"""Largest dimension any algorithm of the golden model accepts."""


def check_integer(name: str, value: object, low: int, high: int) -> int:
    """Return ``value`` as an int.

    Parameters
    ----------
    name : str
        What the message calls the value.
    value : object
        Any integer type but bool.
    low, high : int
        Allowed range, both ends included.

    Raises
    ------
    ValueError
        ``value`` is no integer or out of range; one line with name, value and range.
    """
    if type(value) is int and low <= value <= high:
        return value
    try:
        number = operator.index(value)  # type: ignore[arg-type]
    except TypeError:
        number = low - 1
    if isinstance(value, bool) or not low <= number <= high:
        raise ValueError(f"{name} must be an integer from {low} to {high}, not {value!r}")
    return number


def check_dim(dim: object, high: int = MAX_DIM) -> int:
    """Return ``dim`` if it is an integer from 1 to ``high``, else raise ``ValueError``."""
    return check_integer("dim", dim, 1, high)


def check_node(name: str, value: object, dim: int) -> int:
    """Return ``value`` if it is the address of a node of the ``dim``-cube, else raise ``ValueError``."""
    return check_integer(name, value, 0, (1 << dim) - 1)


def check_items(name: str, values: object, what: str = "addresses") -> tuple[Any, ...]:
    """Return what ``values`` holds if it is iterable, else raise ``ValueError``; ``what`` says what it should hold."""
    if not isinstance(values, Iterable):
        raise ValueError(f"{name} must hold {what}, not be {values!r:.60}")
    return tuple(values)


def check_source(value: object, dim: int, faults: frozenset[int]) -> int:
    """Return ``value`` if it is the address of a node that is not in ``faults``, else raise ``ValueError``."""
    source = check_node("source", value, dim)
    if source in faults:
        raise ValueError(f"source must be a fault-free node, not {source}")
    return source


def distance(a: int, b: int) -> int:
    """Return the Hamming distance of two addresses, which is the length of a shortest path between them."""
    return (a ^ b).bit_count()


def neighbour(node: int, dimension: int) -> int:
    """Return the neighbour of ``node`` in ``dimension``."""
    return node ^ (1 << dimension)


@functools.lru_cache(1 << 14)
def useful_dimensions(relative: int) -> tuple[int, ...]:
    """Return the bit positions of ``relative`` that are 1, lowest first."""
    found = []
    while relative:
        lowest = relative & -relative
        found.append(lowest.bit_length() - 1)
        relative ^= lowest
    return tuple(found)


def nth_dimension(i: int, address: int) -> int:
    """Return W_i: the position of the i-th 1 of ``address`` counted from the right, or -1 if there is none.

    Parameters
    ----------
    i : int
        1 names the rightmost 1.
    address : int
        The binary number B.

    Source
    ------
    Lan 1988, section 4.3. ``i`` counts from 1 (misprint L11).
    """
    positions = useful_dimensions(address)
    return positions[i - 1] if 1 <= i <= len(positions) else -1


def nearest_common_ancestor(source: int, nodes: Iterable[int]) -> int:
    """Return the node farthest from ``source`` that lies on a shortest path from it to every one of ``nodes``.

    It is the bitwise AND of the addresses relative to the source.

    Source
    ------
    Lan 1988, section 4.4, lemma 4.1 (printed as lemma 1) and theorem 4.1.
    """
    common = -1
    for node in nodes:
        common &= node ^ source
    if common < 0:
        raise ValueError("nodes must hold at least one address, not none")
    return common ^ source


def path_by_dimensions(start: int, end: int) -> tuple[int, ...]:
    """Return the nodes from ``start`` to ``end``, both included, crossing the lowest dimension first."""
    path = [start]
    for dimension in useful_dimensions(start ^ end):
        path.append(neighbour(path[-1], dimension))
    return tuple(path)
