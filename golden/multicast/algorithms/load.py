"""Load of the multicast network: what it can be given, and what its messages carry besides."""

from __future__ import annotations

from typing import Any

import numpy as np

from cubecast.golden.common.algorithms.faults import violations
from cubecast.golden.common.algorithms.load import TRACE, Traffic
from cubecast.golden.common.algorithms.load_packets import Packets, drawn_settings, faults_known, traced
from cubecast.golden.common.algorithms.load_packets import packets as packets_of
from cubecast.golden.common.contract.parameters import integer
from cubecast.golden.multicast.contract.config import Config
from cubecast.golden.multicast.contract.load import load_shape

__all__ = ["check", "in_order", "load_shape", "node_settings", "packets", "traced"]

Array = np.ndarray[Any, np.dtype[Any]]


def check(config: Config, traffic: Traffic) -> None:
    """Raise ``ValueError`` unless such routers can be given such a load."""
    if traffic.policy:
        raise ValueError(f"policy must not be given with traffic of the multicast router, not {traffic.policy!r}")
    if traffic.faults or traffic.faulty_links:
        _check_faults(config, traffic)
    if traffic.lists.share:
        integer("nodes of a list", traffic.lists.members, 1, config.max_list)
    load_shape(config)


def _check_faults(config: Config, traffic: Traffic) -> None:
    """Raise ``ValueError`` unless all that work reach each other, by theorems 7.1 to 7.3 of Lan 1988."""
    if not config.fault_tolerant:
        raise ValueError("fault and faulty links must not be given without fault tolerance")
    if traffic.faulty_links:
        raise ValueError("faulty links must not be given with the multicast router where load is measured")
    faults = faults_known(traffic)
    if near := violations(config.dim, faults.nodes):
        raise ValueError(
            "faults must leave each node at most one faulty neighbour with the multicast router where load is "
            f"measured, not several of {near[0]}"
        )
    others = config.nodes - 1 - len(faults.nodes)
    if (traffic.broadcast or traffic.pattern == TRACE) and others > config.max_list:
        raise ValueError(
            f"max_list must be at least {others} for broadcasts around these faults where load is measured, "
            f"not {config.max_list}"
        )


def node_settings(config: Config, traffic: Traffic, offered: float, seed: int) -> dict[str, list[int]]:
    """Return the settings of all load nodes by name, an item for each node.

    As :func:`cubecast.golden.common.algorithms.load_packets.drawn_settings`; a faulty node sends nothing. With faults,
    ``fault_vector`` is what the routers are told of them, and a broadcast is a list of all nodes that work.
    """
    faults = faults_known(traffic)

    def routes(node: int) -> dict[str, int]:
        """Return the settings of a node that say where its messages can go, and what its router is told."""
        if not config.fault_tolerant:
            return {}
        reached = sum(1 << (node ^ there) for there in range(config.nodes) if there not in {node, *faults.nodes})
        return {"reached": reached, "spanned": reached, "fault_vector": faults.vector(node, config.dim)}

    return drawn_settings(load_shape(config), traffic, offered, seed, silent=faults.nodes, routes=routes)


def in_order(config: Config, traffic: Traffic) -> None:
    """Return None: the router keeps the words of a message in order, and promises nothing of several messages."""


def packets(config: Config, traffic: Traffic, source: Array, head: Array, block: Array) -> Packets:
    """Return what the heads of packets say, as :func:`cubecast.golden.common.algorithms.load_packets.packets`.

    A message goes in with k, its list and the end of its header, and comes with that end.
    """
    shape = load_shape(config)

    def flits(everyone: Array, nodes: Array) -> tuple[Array, int]:
        """Return the words of headers."""
        return 1 + np.where(everyone, 0, nodes) + shape.lead, shape.lead

    return packets_of(shape, traffic, source, head, block, flits)
