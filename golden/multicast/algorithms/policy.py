"""Routing policies in the algorithms: one object for each, with all that trees and waits do differently under it."""

from __future__ import annotations

import abc
from collections.abc import Iterable, Sequence
from typing import ClassVar

__all__ = ["GREEDY", "POLICIES", "Greedy", "Ordered", "Policy", "policy_of"]


class Policy(abc.ABC):
    """What a policy decides: which columns a row votes for, the order of dimensions, and which hops go up a lane.

    ``by_address``: votes and order are not the same at all nodes. ``name``: what trees call it.
    """

    by_address: ClassVar[bool] = True
    name: str = "own"

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
    name = "greedy"

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

    name = "ordered"

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

POLICIES: dict[str, Policy] = {policy.name: policy for policy in (GREEDY, Ordered())}
"""Policy by name; these are the ones that a router can be generated with."""


class _Checked(Policy):
    """A policy of a user's own: what it answers is looked at, since a tree would not end by some answers."""

    def __init__(self, own: Policy) -> None:
        self.own, self.name = own, own.name

    def votes(self, row: int, local: int, faulty: int) -> int:
        """Return them, or raise ``ValueError``."""
        found = self.own.votes(row, local, faulty)
        if type(found) is not int or found & ~(row & ~faulty):
            allowed = f"some of {row & ~faulty:#b}, the useful dimensions that are free of faults"
            raise ValueError(f"votes of policy {self.name!r} must be {allowed}, not {found!r}")
        return found

    def order(self, dim: int, local: int) -> Sequence[int]:
        """Return it, or raise ``ValueError``."""
        given = self.own.order(dim, local)
        found = tuple(given) if isinstance(given, Iterable) else given
        if type(found) is not tuple or {*map(type, found)} != {int} or sorted(found) != list(range(dim)):
            raise ValueError(f"order of policy {self.name!r} must hold 0 to {dim - 1} once each, not {found!r}")
        return found

    def rises(self, node: int, came: int | None, dimension: int) -> bool:
        """Return whether a hop goes to the next lane."""
        return self.own.rises(node, came, dimension)


def policy_of(policy: str | Policy) -> Policy:
    """Return the policy of this name, or the one given, which raises ``ValueError`` if it answers what it must not."""
    if isinstance(policy, Policy):
        return policy if policy in POLICIES.values() else _Checked(policy)
    return POLICIES[policy]
