"""Greedy multicast: MULTICAST.1, MULTICAST.F1, and the same with the votes of another policy."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from cubecast.golden.common.algorithms.address import neighbour, useful_dimensions
from cubecast.golden.common.algorithms.faults import fault_vector
from cubecast.golden.multicast.algorithms.policy import GREEDY, Policy, policy_of
from cubecast.golden.multicast.algorithms.tree import Decision, MulticastTree, check_request, grow

__all__ = [
    "Choice",
    "MulticastStep",
    "column_sums",
    "multicast_1",
    "multicast_by",
    "multicast_f1",
    "multicast_step",
    "policy_step",
]


@dataclass(frozen=True)
class Choice:
    """One run of the selection loop.

    Parameters
    ----------
    dimension : int
        The column chosen.
    rows : tuple of int
        Indexes of the rows that form the sublist, in header order.
    sums : tuple of int
        The column sums the choice was made by, dimension 0 first; 0 in a faulty column.
    """

    dimension: int
    rows: tuple[int, ...]
    sums: tuple[int, ...]


@dataclass(frozen=True)
class MulticastStep:
    """What one node does with a destination list.

    Parameters
    ----------
    choices : tuple of Choice
        Forwarding decisions in the order taken.
    local : bool
        Whether the node itself is a destination.
    left_over : tuple of int
        Indexes of the rows that no choice took: all their useful dimensions are faulty.
    """

    choices: tuple[Choice, ...]
    local: bool
    left_over: tuple[int, ...]


def column_sums(dim: int, rows: Iterable[int]) -> tuple[int, ...]:
    """Return the number of 1's in each column of the reference array, dimension 0 first."""
    sums = [0] * dim
    for row in rows:
        for dimension in useful_dimensions(row):
            sums[dimension] += 1
    return tuple(sums)


def multicast_step(dim: int, rows: Sequence[int], faulty: int = 0) -> MulticastStep:
    """Split a destination list at one node by the greedy rule.

    Again and again the fault-free column with the most 1's is chosen, the lowest of equals; the rows that have a
    1 there form the sublist sent to that dimension and leave the array.

    Parameters
    ----------
    dim : int
        Number of columns.
    rows : sequence of int
        Reference array: the destinations relative to the node, in header order. A row 0 is the node itself.
    faulty : int
        Fault vector of the node.

    Source
    ------
    Lan 1988, figures 5.1 and 7.7. The sums run over all rows (misprint L3), bits are subtracted before the row is
    cleared (L2), and a faulty column is left out of the subtraction (L14).
    """
    return policy_step(GREEDY, dim, rows, 0, faulty)


def policy_step(policy: Policy, dim: int, rows: Sequence[int], local: int, faulty: int = 0) -> MulticastStep:
    """Split a destination list at one node by the greedy rule, with the votes of a policy.

    Parameters
    ----------
    policy : Policy
        Says which columns a row votes for.
    dim : int
        Number of columns.
    rows : sequence of int
        Reference array, as in :func:`multicast_step`.
    local : int
        Address of the node.
    faulty : int
        Fault vector of the node.
    """
    votes = [policy.votes(row, local, faulty) for row in rows]
    sums = list(column_sums(dim, votes))
    open_rows = [index for index, vote in enumerate(votes) if vote]
    choices = []
    while open_rows:
        # index returns the first of equals, so a tie goes to the lowest dimension
        dimension = sums.index(max(sums))
        taken = tuple(index for index in open_rows if votes[index] >> dimension & 1)
        choices.append(Choice(dimension, taken, tuple(sums)))
        for index in taken:
            for column in useful_dimensions(votes[index]):
                sums[column] -= 1
        open_rows = [index for index in open_rows if not votes[index] >> dimension & 1]
    left_over = tuple(index for index, row in enumerate(rows) if row and not votes[index])
    return MulticastStep(tuple(choices), 0 in rows, left_over)


def multicast_1(dim: int, source: int, destinations: Iterable[int]) -> MulticastTree:
    """Route a multicast in a fault-free cube by the greedy algorithm.

    Every destination is reached over a shortest path, exactly once.

    Source
    ------
    Lan 1988, section 5.2, figure 5.1.
    """
    return multicast_f1(dim, source, destinations)


def multicast_f1(dim: int, source: int, destinations: Iterable[int], faults: Iterable[int] = ()) -> MulticastTree:
    """Route a multicast around faulty nodes by the greedy algorithm.

    If every fault-free node has at most one faulty neighbour, every fault-free destination is reached over a
    shortest path. Otherwise rows whose useful dimensions are all faulty become undeliverable where they stand.

    Source
    ------
    Lan 1988, section 7.3.3, figure 7.7, theorem 7.3.
    """
    return multicast_by("greedy", dim, source, destinations, faults)


def multicast_by(
    policy: str | Policy, dim: int, source: int, destinations: Iterable[int], faults: Iterable[int] = ()
) -> MulticastTree:
    """Route a multicast around faulty nodes by the greedy algorithm, with the votes of this policy."""
    request, chosen = check_request(dim, source, destinations, faults), policy_of(policy)

    def decide(node: int, came_in: Sequence[int]) -> list[Decision]:
        """Return the decisions of ``node`` on the destination list ``came_in``."""
        rows = [destination ^ node for destination in came_in]
        split = policy_step(chosen, request.dim, rows, node, fault_vector(request.dim, node, request.faults))
        return [
            Decision(
                choice.dimension,
                neighbour(node, choice.dimension),
                tuple(came_in[index] for index in choice.rows),
            )
            for choice in split.choices
        ]

    start = decide(request.source, request.destinations)
    return grow(request, chosen.name, start, lambda node, arrival: decide(node, arrival.destinations))
