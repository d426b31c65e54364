"""Broadcast: BROADCAST.1 (weight), .2 (source address), .3 and .F3 (control vector), and the orders of other policies.

In all of them every node but the source delivers to its processor. With a destination list (longer than the
multicaster takes) the list travels along unchanged and a node delivers only if its address is in it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace

from cubecast.golden.common.algorithms.address import neighbour
from cubecast.golden.common.algorithms.faults import fault_vector
from cubecast.golden.multicast.algorithms.policy import Policy, policy_of
from cubecast.golden.multicast.algorithms.tree import (
    Decision,
    MulticastTree,
    Request,
    broadcast_destinations,
    check_request,
    grow,
)

__all__ = [
    "broadcast_1",
    "broadcast_2",
    "broadcast_2_step",
    "broadcast_3",
    "broadcast_by",
    "broadcast_f3",
    "control_step",
    "source_step",
]


def broadcast_2_step(dim: int, relative_source: int) -> tuple[int, ...]:
    """Return the dimensions one node forwards a broadcast to: all above the highest 1 of ``relative_source``.

    Parameters
    ----------
    dim : int
        Dimension of the cube.
    relative_source : int
        Address of the source relative to the node; 0 at the source, which sends to all dimensions.

    Source
    ------
    Lan 1988, figure 4.5; section 6.5.6, figure 6.5.
    """
    return tuple(range(relative_source.bit_length(), dim))


def source_step(policy: Policy, dim: int, relative_source: int, local: int) -> tuple[int, ...]:
    """Return the dimensions one node forwards a broadcast to, without faults, by the source address.

    These are the dimensions that come after all crossed so far in the source's order; :func:`broadcast_2_step` for any
    policy.

    Parameters
    ----------
    policy : Policy
        Gives the order.
    dim : int
        Dimension of the cube.
    relative_source : int
        Address of the source relative to the node; 0 at the source, which sends to all dimensions.
    local : int
        Address of the node.
    """
    order = policy.order(dim, local ^ relative_source)
    crossed = [place for place, dimension in enumerate(order) if relative_source >> dimension & 1]
    return tuple(sorted(order[max(crossed, default=-1) + 1 :]))


def control_step(
    order: Sequence[int], control: int, faulty: int = 0, *, cover_faulty: bool = True
) -> tuple[tuple[int, int], ...]:
    """Return where one node forwards a broadcast to, as (dimension, control vector sent there).

    Parameters
    ----------
    order : sequence of int
        All dimensions in the order in which they are served; ``range(dim)`` in the published algorithms.
    control : int
        Control vector that came in: the dimensions this node has to serve. All ones at the source.
    faulty : int
        Fault vector of the node.
    cover_faulty : bool
        True (BROADCAST.F3): a faulty dimension stays set in every vector sent, so that the nodes behind it are
        reached another way. False (BROADCAST.3): it is only skipped.

    Source
    ------
    Lan 1988, figures 4.6 and 7.5, and figure 7.10.
    """
    sent = []
    kept = control & faulty if cover_faulty else 0
    later = control
    for dimension in order:
        later &= ~(1 << dimension)
        if (control & ~faulty) >> dimension & 1:
            sent.append((dimension, later | kept))
    return tuple(sent)


def broadcast_1(dim: int, source: int) -> MulticastTree:
    """Broadcast in a fault-free cube, each message carrying a weight.

    A node that got weight w sends to the dimensions 1 to w - 1 (counted from 1), the dimension being the weight;
    the source has weight n + 1. The weight equals the dimension of arrival, counted from 1.

    Source
    ------
    Lan 1988, figure 4.4 (after Sullivan and Bashkow).
    """
    request = check_request(dim, source)

    def decide(node: int, weight: int) -> list[Decision]:
        """Return the decisions of ``node``, which got ``weight``."""
        return [Decision(j, neighbour(node, j)) for j in range(weight - 1)]

    return _grow(
        request,
        "greedy",
        decide(request.source, request.dim + 1),
        lambda node, arrival: decide(node, arrival.dimension + 1),
    )


def broadcast_2(dim: int, source: int, destinations: Iterable[int] | None = None) -> MulticastTree:
    """Broadcast in a fault-free cube by the source address: send above the highest dimension crossed so far.

    Parameters
    ----------
    dim : int
        Dimension of the cube.
    source : int
        Address of the source.
    destinations : iterable of int, or None
        None: a full broadcast. Else the list that travels along.

    Source
    ------
    Lan 1988, figure 4.5.
    """
    request = check_request(dim, source, destinations or ())

    def decide(node: int) -> list[Decision]:
        """Return the decisions of ``node``."""
        dimensions = broadcast_2_step(request.dim, node ^ request.source)
        return [Decision(j, neighbour(node, j), request.destinations) for j in dimensions]

    return _grow(request, "greedy", decide(request.source), lambda node, arrival: decide(node))


def broadcast_3(
    dim: int, source: int, faults: Iterable[int] = (), destinations: Iterable[int] | None = None
) -> MulticastTree:
    """Broadcast by control vectors; faulty dimensions are skipped, and what lies behind them is undeliverable.

    Source
    ------
    Lan 1988, figure 4.6 (after Katseff); delivery stands before the loop (misprint L9).
    """
    request = check_request(dim, source, destinations or (), faults)
    return _grow_control(request, "greedy", lambda node: range(request.dim), cover_faulty=False)


def broadcast_f3(
    dim: int, source: int, faults: Iterable[int] = (), destinations: Iterable[int] | None = None
) -> MulticastTree:
    """Broadcast by control vectors around faulty nodes.

    No node gets the message twice, whatever the faults. If every fault-free node has at most one faulty
    neighbour, every fault-free node gets it, over a shortest path.

    Parameters
    ----------
    dim : int
        Dimension of the cube.
    source : int
        Address of the source.
    faults : iterable of int
        Faulty nodes.
    destinations : iterable of int, or None
        None: a full broadcast. Else the list that travels along.

    Source
    ------
    Lan 1988, section 7.3.2, figure 7.5, theorem 7.2.
    """
    return broadcast_by("greedy", dim, source, faults, destinations)


def broadcast_by(
    policy: str | Policy,
    dim: int,
    source: int,
    faults: Iterable[int] = (),
    destinations: Iterable[int] | None = None,
) -> MulticastTree:
    """Broadcast as :func:`broadcast_f3` does, but serve the dimensions in the order of this policy."""
    request, chosen = check_request(dim, source, destinations or (), faults), policy_of(policy)
    return _grow_control(request, chosen.name, lambda node: chosen.order(request.dim, node))


def _grow_control(
    request: Request, policy: str, order: Callable[[int], Sequence[int]], *, cover_faulty: bool = True
) -> MulticastTree:
    """Grow the tree of a broadcast by control vectors, each node serving its dimensions in ``order(node)``."""

    def decide(node: int, control: int) -> list[Decision]:
        """Return the decisions of ``node``, which got ``control``."""
        faulty = fault_vector(request.dim, node, request.faults)
        sent = control_step(order(node), control, faulty, cover_faulty=cover_faulty)
        return [Decision(j, neighbour(node, j), request.destinations, vector) for j, vector in sent]

    def step(node: int, arrival: Decision) -> list[Decision]:
        """Return the decisions of ``node`` on a message with a control vector."""
        return decide(node, arrival.control or 0)

    return _grow(request, policy, decide(request.source, (1 << request.dim) - 1), step)


def _grow(
    request: Request, policy: str, start: Sequence[Decision], step: Callable[[int, Decision], Sequence[Decision]]
) -> MulticastTree:
    """Grow a broadcast; without a list, every fault-free node but the source is a destination."""
    if not request.destinations:
        request = replace(request, destinations=broadcast_destinations(request))
    return grow(request, policy, start, step)
