"""One entry to all routing algorithms: pick a policy, get the tree."""

from __future__ import annotations

from collections.abc import Iterable

from cubecast.golden.multicast.algorithms.broadcast import broadcast_f3, broadcast_ordered
from cubecast.golden.multicast.algorithms.multicast import multicast_f1, multicast_ordered
from cubecast.golden.multicast.algorithms.optimal import optimal_broadcast, optimal_multicast
from cubecast.golden.multicast.algorithms.spare import spare_global_send
from cubecast.golden.multicast.algorithms.tree import MulticastTree, broadcast_destinations, check_request
from cubecast.golden.multicast.algorithms.unicast import multiple_unicast

__all__ = ["POLICIES", "SEPARATE_BROADCAST_DIM", "route"]

POLICIES = ("greedy", "ordered", "optimal", "unicast", "spare")
"""Routing policies of the golden model; the first two exist in hardware."""

SEPARATE_BROADCAST_DIM = 14
"""Largest dimension in which ``unicast`` and ``spare`` send a broadcast, as a list of all nodes."""

_MULTICAST = {
    "greedy": multicast_f1,
    "ordered": multicast_ordered,
    "optimal": optimal_multicast,
    "unicast": multiple_unicast,
    "spare": spare_global_send,
}

_LISTED_BROADCAST = {"greedy": broadcast_f3, "ordered": broadcast_ordered}


def route(
    dim: int,
    source: int,
    destinations: Iterable[int] = (),
    *,
    policy: str = "greedy",
    faults: Iterable[int] = (),
    broadcast: bool = False,
) -> MulticastTree:
    """Route one message.

    Destinations keep their order; one that stands in the list twice is delivered once; the source itself, if
    listed, is delivered to on the spot. A faulty destination, or one that the policy cannot reach because of
    faults, is undeliverable and named in the tree.

    Parameters
    ----------
    dim : int
        Dimension of the cube, 1 to 20; ``optimal`` and broadcasts of ``unicast`` and ``spare`` allow less.
    source : int
        Address of the source, a fault-free node.
    destinations : iterable of int
        Destination list, at least one. In a broadcast: empty for all other nodes, else the list that travels
        along (``greedy`` and ``ordered`` only).
    policy : str
        ``greedy``: MULTICAST.F1 and BROADCAST.F3. ``ordered``: the same, first clearing and then setting address
        bits. ``optimal``: least traffic. ``unicast``: one message per destination by UNICAST.F1. ``spare``: spare
        global send.
    faults : iterable of int
        Faulty nodes.
    broadcast : bool
        Whether to broadcast.

    Raises
    ------
    ValueError
        A parameter is out of range; one line with its name, its value and what is allowed.
    """
    if policy not in POLICIES:
        raise ValueError(f"policy must be one of {', '.join(POLICIES)}, not {policy!r}")
    listed = tuple(destinations)
    if not broadcast:
        if not listed:
            raise ValueError("destinations must hold at least one address, not ()")
        return _MULTICAST[policy](dim, source, listed, faults)
    if policy in _LISTED_BROADCAST:
        return _LISTED_BROADCAST[policy](dim, source, faults, listed)
    if listed:
        allowed = " or ".join(_LISTED_BROADCAST)
        raise ValueError(f"policy must be {allowed} for a broadcast with a destination list, not {policy!r}")
    if policy == "optimal":
        return optimal_broadcast(dim, source, faults)
    request = check_request(dim, source, (), faults, max_dim=SEPARATE_BROADCAST_DIM)
    return _MULTICAST[policy](request.dim, request.source, broadcast_destinations(request), request.faults)
