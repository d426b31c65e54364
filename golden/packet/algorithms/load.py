"""Load of the packet network: what it can be given, and what its packets carry besides."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import numpy as np

from cubecast.golden.common.algorithms.faults import Faults
from cubecast.golden.common.algorithms.load import TRACE, Traffic
from cubecast.golden.common.algorithms.load_packets import Packets, drawn_settings, faults_known, traced
from cubecast.golden.common.algorithms.load_packets import packets as packets_of
from cubecast.golden.packet.algorithms.routing import path
from cubecast.golden.packet.contract.config import PacketConfig
from cubecast.golden.packet.contract.load import load_shape

__all__ = ["check", "in_order", "load_shape", "node_settings", "packets", "traced"]

Array = np.ndarray[Any, np.dtype[Any]]


def check(config: PacketConfig, traffic: Traffic) -> None:
    """Raise ``ValueError`` unless such routers can be given such a load."""
    if traffic.policy:
        raise ValueError(f"policy must not be given with the packet router, which has routing, not {traffic.policy!r}")
    if traffic.faults or traffic.faulty_links:
        if not config.fault_tolerant:
            raise ValueError("fault and faulty links must not be given without fault tolerance")
        faults_known(traffic)
        if traffic.pattern == TRACE:
            raise ValueError("fault and faulty links must not be given with traffic trace with the packet router")
        if traffic.broadcast:
            # What is behind a fault in the tree of a broadcast is missed.
            raise ValueError(f"broadcast must be 0 with faults with the packet router, not {traffic.broadcast:g}")
    load_shape(config)


def node_settings(config: PacketConfig, traffic: Traffic, offered: float, seed: int) -> dict[str, list[int]]:
    """Return the settings of all load nodes by name, an item for each node.

    As :func:`cubecast.golden.common.algorithms.load_packets.drawn_settings`; a faulty node sends nothing. With faults,
    ``fault_vector`` is what the routers are told of them.
    """
    faults, shape = faults_known(traffic), load_shape(config)
    return drawn_settings(
        shape, traffic, offered, seed, silent=faults.nodes, routes=lambda node: _routes(config, node, faults)
    )


def _routes(config: PacketConfig, node: int, faults: Faults) -> dict[str, int]:
    """Return the settings of a node that say where its messages can go, and what its router is told.

    A packet comes where no fault is on any of the ways that the router may choose.
    """
    if not config.fault_tolerant:
        return {}
    reached = sum(1 << relative for relative in range(1, config.nodes) if _reaches(config, node, relative, faults))
    return {"reached": reached, "spanned": reached, "fault_vector": faults.vector(node, config.dim)}


def _reaches(config: PacketConfig, node: int, relative: int, faults: Faults) -> bool:
    """Return whether all ways lead there; the first hop is over a link that works, the detour if need be."""
    n = config.dim
    firsts = [k for k in range(n) if relative >> k & 1 and faults.passes(node, k)]
    ways = [path(node, node ^ relative, first, n) for first in firsts[: 1 if config.routing == "fixed" else n]]
    hops = (hop for way in ways for hop in pairwise(way))
    return bool(ways) and all(faults.passes(a, (a ^ b).bit_length() - 1) for a, b in hops)


def in_order(config: PacketConfig, traffic: Traffic) -> bool:
    """Return whether all packets of a node to another one arrive in the order sent, not only those of one message.

    A copy of a broadcast may wait where a unicast goes past it.
    """
    return config.routing == "fixed" and not traffic.broadcast


def packets(config: PacketConfig, traffic: Traffic, source: Array, head: Array, block: Array) -> Packets:
    """Return what the heads of packets say, as :func:`cubecast.golden.common.algorithms.load_packets.packets`.

    A packet goes in with its destination, and comes with that and the source word.
    """
    return packets_of(load_shape(config), traffic, source, head, block, lambda everyone, nodes: (1, 2))
