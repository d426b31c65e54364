"""Routing policies in the algorithms: one object for each, with all that trees and waits do differently under it."""

from __future__ import annotations

import abc
from collections.abc import Sequence
from typing import ClassVar

__all__ = ["GREEDY", "POLICIES", "Greedy", "Ordered", "Policy"]


class Policy(abc.ABC):
    """What a policy decides: which columns a row votes for, the order of dimensions, and which hops go up a lane.

    ``by_address``: votes and order are not the same at all nodes.
    """

    by_address: ClassVar[bool] = True

    @abc.abstractmethod
    def votes(self, row: int, local: int, faulty: int) -> int:
        """Return the columns that a row of the reference array votes for.

        Parameters
        ----------
        row : int
            A destination relative to the node.
        local : int
            Address of the node.
        faulty : int
            Fault vector of the node.
        """

    @abc.abstractmethod
    def order(self, dim: int, local: int) -> Sequence[int]:
        """Return all dimensions in the order in which a broadcast takes them at the node of this address."""

    @abc.abstractmethod
    def rises(self, node: int, came: int | None, dimension: int) -> bool:
        """Return whether a hop goes to the next lane.

        Parameters
        ----------
        node : int
            Where the hop starts.
        came : int, or None
            Dimension in which the message came to the node; None: from its processor.
        dimension : int
            Dimension of the hop.
        """


class Greedy(Policy):
    """A row votes for all it can use; dimensions ascend; hops from nodes of odd parity rise.

    Source: Lan 1988, MULTICAST.1 and F1, BROADCAST.2 and F3; the lanes are what deadlock freedom adds.
    """

    by_address = False

    def votes(self, row: int, local: int, faulty: int) -> int:
        """Return all useful dimensions that are free of faults."""
        return row & ~faulty

    def order(self, dim: int, local: int) -> Sequence[int]:
        """Return them ascending."""
        return range(dim)

    def rises(self, node: int, came: int | None, dimension: int) -> bool:
        """Return whether the node has odd parity."""
        return node.bit_count() % 2 == 1


class Ordered(Policy):
    """Every path first clears bits and then sets bits, as far as faults let it; hops that clear after one set rise."""

    def votes(self, row: int, local: int, faulty: int) -> int:
        """Return the useful dimensions, free of faults, that clear a bit, if there are such; else the others."""
        return (row & ~faulty & local) or row & ~faulty

    def order(self, dim: int, local: int) -> Sequence[int]:
        """Return those in which the address has a 1, ascending, then the others, ascending."""
        return tuple(sorted(range(dim), key=lambda j: (~local >> j & 1, j)))

    def rises(self, node: int, came: int | None, dimension: int) -> bool:
        """Return whether the hop clears a bit right after one that set a bit."""
        return came is not None and bool(node >> came & node >> dimension & 1)


GREEDY = Greedy()
"""The policy of the published algorithms."""

POLICIES: dict[str, Policy] = {"greedy": GREEDY, "ordered": Ordered()}
"""Policy by name; these are the ones that a router can be generated with."""
