"""Operations of a group on one primitive, the all-reduce of a stream of words: what each node offers and keeps."""

from __future__ import annotations

import dataclasses
import functools
from collections.abc import Callable, Mapping, Sequence

from cubecast.golden.common.contract.parameters import one_of
from cubecast.golden.reduction.contract.word import Operation

__all__ = ["KINDS", "Collective", "joining"]

KINDS = ("all-reduce", "reduce", "barrier", "broadcast", "reduce-scatter", "all-gather")
"""Kinds of operations."""

Words = tuple[int, ...]


def joining(operation: int, width: int) -> Callable[[int, int], int]:
    """Return what an operation makes of two words of so many bits."""
    mask, sign = (1 << width) - 1, 1 << width - 1
    made: dict[Operation, Callable[[int, int], int]] = {
        Operation.ADD: lambda a, b: a + b & mask,
        Operation.AND: lambda a, b: a & b,
        Operation.OR: lambda a, b: a | b,
        Operation.XOR: lambda a, b: a ^ b,
        Operation.MIN: lambda a, b: min(a ^ sign, b ^ sign) ^ sign,
        Operation.MAX: lambda a, b: max(a ^ sign, b ^ sign) ^ sign,
        Operation.MIN_UNSIGNED: min,
        Operation.MAX_UNSIGNED: max,
    }
    return made[Operation(operation)]


@dataclasses.dataclass(frozen=True)
class Collective:
    """One operation of a group.

    Parameters
    ----------
    kind : str
        One of :data:`KINDS`.
    vectors : mapping
        Words of each member. All-reduce, reduce and reduce-scatter: of one length. Broadcast: those of ``node`` count.
        All-gather: each member's own part, of one length. Barrier: they do not count.
    operation : Operation
        Of all-reduce, reduce and reduce-scatter.
    node : int
        Where the result of a reduce is kept, and whose words are broadcast; a member.

    Raises
    ------
    ValueError
        The kind does not exist, ``node`` is no member, or the vectors are not of one length, or empty.
    """

    kind: str
    vectors: Mapping[int, Words]
    operation: Operation = Operation.ADD
    node: int = 0

    def __post_init__(self) -> None:
        """Check what belongs together."""
        one_of("kind", self.kind, KINDS)
        if self.kind in ("reduce", "broadcast") and self.node not in self.vectors:
            raise ValueError(f"node must be a member in a {self.kind}, not {self.node}")
        lengths = {len(words) for words in self.vectors.values()}
        if self.kind != "barrier" and (len(lengths) != 1 or 0 in lengths):
            raise ValueError(f"vectors must be of one length, at least 1, not of {sorted(lengths)}")

    @property
    def members(self) -> Sequence[int]:
        """The members, ascending."""
        return sorted(self.vectors)

    @property
    def rop(self) -> Operation:
        """The operation of its words."""
        return self.operation if self.kind in ("all-reduce", "reduce", "reduce-scatter") else Operation.OR

    @property
    def length(self) -> int:
        """Words of the stream."""
        if self.kind == "barrier":
            return 1
        own = len(next(iter(self.vectors.values())))
        return own * len(self.vectors) if self.kind == "all-gather" else own

    def offered(self, node: int) -> Words:
        """Return the words that a member offers; what it has no part in is 0."""
        if self.kind == "barrier" or (self.kind == "broadcast" and node != self.node):
            return (0,) * self.length
        if self.kind == "all-gather":
            own, place = self.vectors[node], self.members.index(node)
            return (0,) * (place * len(own)) + own + (0,) * (self.length - (place + 1) * len(own))
        return self.vectors[node]

    def kept(self, node: int, results: Words) -> Words:
        """Return what a member keeps of the results; of a reduce-scatter a part that is as long as others, or shorter.

        The parts of the members, in their order, are the results.
        """
        if self.kind == "barrier" or (self.kind == "reduce" and node != self.node):
            return ()
        if self.kind == "reduce-scatter":
            part = -(-self.length // len(self.vectors))
            place = self.members.index(node)
            return results[place * part : (place + 1) * part]
        return results

    def results(self, width: int) -> Words:
        """Return the words that come to all members."""
        join = joining(self.rop, width)
        return tuple(functools.reduce(join, words) for words in zip(*map(self.offered, self.members), strict=True))
