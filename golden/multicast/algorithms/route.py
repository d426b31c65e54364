"""One entry to all routing algorithms: pick a policy, get the tree."""

from __future__ import annotations

from collections.abc import Iterable

from cubecast.golden.common.algorithms.address import check_items
from cubecast.golden.common.contract.parameters import boolean, plain
from cubecast.golden.multicast.algorithms.broadcast import broadcast_by
from cubecast.golden.multicast.algorithms.multicast import multicast_by
from cubecast.golden.multicast.algorithms.optimal import optimal_broadcast, optimal_multicast
from cubecast.golden.multicast.algorithms.policy import Policy
from cubecast.golden.multicast.algorithms.spare import spare_global_send
from cubecast.golden.multicast.algorithms.tree import MulticastTree, broadcast_destinations, check_request
from cubecast.golden.multicast.algorithms.unicast import multiple_unicast
from cubecast.golden.multicast.contract.policy import FACTS

__all__ = ["ABOUT", "POLICIES", "SEPARATE_BROADCAST_DIM", "route"]

_ALONE = {
    "optimal": (optimal_multicast, "the exact optimal multicast tree: least traffic with every path a shortest one"),
    "unicast": (multiple_unicast, "one message per destination"),
    "spare": (spare_global_send, "spare global send: to the closest destination, which passes on what lies behind it"),
}
"""Algorithm and description of the policies without hardware."""

ABOUT = {name: facts.about for name, facts in FACTS.items()} | {name: about for name, (_, about) in _ALONE.items()}
"""What each policy is, in a line."""

POLICIES = tuple(ABOUT)
"""Routing policies of the golden model; those of ``FACTS`` come first and exist in hardware."""

SEPARATE_BROADCAST_DIM = 14
"""Largest dimension in which ``unicast`` and ``spare`` send a broadcast, as a list of all nodes."""


def route(
    dim: int,
    source: int,
    destinations: Iterable[int] = (),
    *,
    policy: str | Policy = "greedy",
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
    policy : str or Policy
        ``greedy``: MULTICAST.F1 and BROADCAST.F3. ``ordered``: the same, first clearing and then setting address
        bits. ``optimal``: least traffic. ``unicast``: one message per destination by UNICAST.F1. ``spare``: spare
        global send. Or an object of a class of your own.
    faults : iterable of int
        Faulty nodes.
    broadcast : bool
        Whether to broadcast.

    Raises
    ------
    ValueError
        A parameter is out of range; one line with its name, its value and what is allowed.
    """
    if not isinstance(policy, Policy) and policy not in (*FACTS, *_ALONE):
        raise ValueError(f"policy must be one of {', '.join((*FACTS, *_ALONE))}, not {policy!r}")
    broadcast = plain(broadcast)
    boolean("broadcast", broadcast)
    listed = check_items("destinations", destinations)
    if not broadcast and not listed:
        raise ValueError("destinations must hold at least one address, not ()")
    if isinstance(policy, Policy) or policy in FACTS:
        if broadcast:
            return broadcast_by(policy, dim, source, faults, listed)
        return multicast_by(policy, dim, source, listed, faults)
    multicast, _ = _ALONE[policy]
    if not broadcast:
        return multicast(dim, source, listed, faults)
    if listed:
        allowed = " or ".join(FACTS)
        raise ValueError(f"policy must be {allowed} for a broadcast with a destination list, not {policy!r}")
    if policy == "optimal":
        return optimal_broadcast(dim, source, faults)
    request = check_request(dim, source, (), faults, max_dim=SEPARATE_BROADCAST_DIM)
    return multicast(request.dim, request.source, broadcast_destinations(request), request.faults)
