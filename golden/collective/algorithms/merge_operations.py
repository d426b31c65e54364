"""Operations of a global merge: word by word on vectors, or the merge of sorted sequences."""

from __future__ import annotations

import functools
import heapq
import operator
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from cubecast.golden.common.algorithms.address import check_integer

__all__ = [
    "OPERATIONS",
    "Operation",
    "Vector",
    "find_operation",
    "plain_merge",
    "split",
    "word_operation",
    "wrapping_sum",
]

Vector = tuple[Any, ...]
"""The data of a node: words of a vector, or a sorted sequence."""


@dataclass(frozen=True)
class Operation:
    """How received data is merged with a node's own. The order of merging must not matter.

    Parameters
    ----------
    name : str
        What it is called.
    join : callable
        ``join(own, offset, piece)`` returns the merge of a node's own data with a piece cut out of another node's at
        ``offset``.
    aligned : bool
        Whether a piece is merged with the words at the same place, so that all nodes need vectors of one length.
    """

    name: str
    join: Callable[[Vector, int, Vector], Vector]
    aligned: bool = True


def word_operation(name: str, combine: Callable[[Any, Any], Any]) -> Operation:
    """Return an operation that combines vectors word by word; ``combine`` must be commutative and associative."""

    def join(own: Vector, offset: int, piece: Vector) -> Vector:
        """Combine ``piece`` with the words of ``own`` from ``offset`` on."""
        end = offset + len(piece)
        return own[:offset] + tuple(map(combine, own[offset:end], piece)) + own[end:]

    return Operation(name, join)


def wrapping_sum(width: int) -> Operation:
    """Return the sum of words of ``width`` bits, which wraps round as in hardware."""
    mask = (1 << check_integer("width", width, 1, 1 << 16)) - 1
    return word_operation("sum", lambda a, b: (a + b) & mask)


def _join_sorted(own: Vector, offset: int, piece: Vector) -> Vector:
    """Merge a piece of a sorted sequence; where it was cut out does not matter."""
    return tuple(heapq.merge(own, piece))


OPERATIONS: dict[str, Operation] = {
    operation.name: operation
    for operation in (
        word_operation("sum", operator.add),
        word_operation("min", min),
        word_operation("max", max),
        word_operation("and", operator.and_),
        word_operation("or", operator.or_),
        word_operation("xor", operator.xor),
        Operation("sorted", _join_sorted, aligned=False),
    )
}
"""Operations by name; "sorted" merges sorted sequences."""


def find_operation(operation: str | Operation) -> Operation:
    """Return an operation given by name, or as it is.

    Raises
    ------
    ValueError
        The name is not in :data:`OPERATIONS`.
    """
    if isinstance(operation, Operation):
        return operation
    if not isinstance(operation, str) or operation not in OPERATIONS:
        raise ValueError(f"operation must be one of {', '.join(OPERATIONS)}, not {operation!r}")
    return OPERATIONS[operation]


def split(data: Sequence[Any], part: int, parts: int) -> tuple[int, Vector]:
    """Return offset and content of one of ``parts`` contiguous partitions, whose lengths differ by one at most.

    With fewer words than parts some are empty; they are sent all the same, since somebody waits for them.
    """
    start, end = part * len(data) // parts, (part + 1) * len(data) // parts
    return start, tuple(data[start:end])


def plain_merge(operation: str | Operation, contributions: Iterable[Sequence[Any]]) -> Vector:
    """Return the merge of all contributions, one after the other, with no tree: what every run must end with.

    Raises
    ------
    ValueError
        There is no contribution, or the operation is unknown.
    """
    chosen = find_operation(operation)
    vectors = [tuple(vector) for vector in contributions]
    if not vectors:
        raise ValueError("contributions must hold at least one, not none")
    return functools.reduce(lambda own, other: chosen.join(own, 0, other), vectors)
