"""Load of the crosspoint network: what it can be given, and where its messages can go around faults."""

from __future__ import annotations

from typing import Any

import numpy as np

from cubecast.golden.common.algorithms.faults import Faults
from cubecast.golden.common.algorithms.load import Traffic
from cubecast.golden.common.algorithms.load_packets import Packets, drawn_settings, faults_known, traced
from cubecast.golden.common.algorithms.load_packets import packets as packets_of
from cubecast.golden.common.contract.load import LoadShape, Policy, route_settings
from cubecast.golden.crosspoint.algorithms.packets import Header
from cubecast.golden.crosspoint.algorithms.routes import (
    POLICIES,
    is_clear,
    legal_first_runs,
    two_run_route,
)
from cubecast.golden.crosspoint.contract.config import CrosspointConfig
from cubecast.golden.crosspoint.contract.load import load_shape
from cubecast.golden.crosspoint.contract.word import Kind

__all__ = ["check", "in_order", "load_shape", "node_settings", "packets", "traced"]

Array = np.ndarray[Any, np.dtype[Any]]

WAYS = dict(zip(POLICIES, Policy, strict=True))
"""The codes of the policies."""


def check(config: CrosspointConfig, traffic: Traffic) -> None:
    """Raise ``ValueError`` unless such routers can be given such a load."""
    if traffic.policy not in POLICIES:
        raise ValueError(f"policy must be one of {', '.join(POLICIES)}, not {traffic.policy!r}")
    if config.runs == 1 and traffic.policy != POLICIES[0]:
        raise ValueError(f"policy must be {POLICIES[0]} when runs is 1, not {traffic.policy!r}")
    if not config.multicast and (traffic.lists.share or traffic.broadcast):
        raise ValueError("multicast and broadcast must have share 0 without multicast")
    if traffic.faults or traffic.faulty_links:
        if not config.fault_tolerant:
            raise ValueError("fault and faulty links must not be given without fault tolerance")
        faults_known(traffic)
    load_shape(config)


def node_settings(config: CrosspointConfig, traffic: Traffic, offered: float, seed: int) -> dict[str, list[int]]:
    """Return the settings of all load nodes by name, an item for each node.

    As :func:`cubecast.golden.common.algorithms.load_packets.drawn_settings`; a faulty node sends nothing. With faults,
    ``fault_vector`` is what the routers are told of them.

    Parameters
    ----------
    config : CrosspointConfig
        Parameters of the routers.
    traffic : Traffic
        What is sent.
    offered : float
        Words per cycle that each sending node makes the network deliver, if it can.
    seed : int
        Of everything random.
    """
    faults, shape = faults_known(traffic), load_shape(config)
    return drawn_settings(
        shape,
        traffic,
        offered,
        seed,
        policy=int(WAYS[traffic.policy]),
        silent=faults.nodes,
        routes=lambda node: _routes(config, shape, traffic.policy, node, faults),
    )


def _routes(config: CrosspointConfig, shape: LoadShape, policy: str, node: int, faults: Faults) -> dict[str, int]:
    """Return the settings of a node that say where its messages can go, and how, and what its router is told.

    A unicast goes as the policy says if no way that it may choose meets a fault, else by the shortest two-run route.
    """
    n, every = config.dim, (1 << config.nodes) - 1
    found = dict.fromkeys(route_settings(shape), every)
    found |= {"spanned": every & ~1} if "spanned" in found else {}
    if not config.fault_tolerant:
        return found
    found["fault_vector"] = faults.vector(node, n)
    if not faults.nodes and not faults.links:
        return found
    tables = dict.fromkeys(route_settings(shape), 0)
    for relative in range(1, config.nodes):
        bit = 1 << relative
        descends = is_clear(node, Header(Kind.UNICAST, relative), faults)
        route = two_run_route(n, node, node ^ relative, faults, config.runs)
        firsts = legal_first_runs(policy, n, relative)
        free = all(is_clear(node, Header(Kind.UNICAST, r1, relative ^ r1), faults) for r1 in firsts)
        bits = {"reached": route is not None, "spanned": descends, "free": free or route is None}
        if route is not None:
            bits |= {f"way_{k}": bool(route.r1 >> k & 1) for k in range(n)}
        for name, value in bits.items():
            if name in tables:
                tables[name] |= bit * value
    return found | tables


def in_order(config: CrosspointConfig, traffic: Traffic) -> bool:
    """Return whether all packets of a node to another one arrive in the order sent, not only those of one message."""
    return config.runs == 1 or traffic.policy == POLICIES[0]


def packets(config: CrosspointConfig, traffic: Traffic, source: Array, head: Array, block: Array) -> Packets:
    """Return what the heads of packets say, as :func:`cubecast.golden.common.algorithms.load_packets.packets`."""
    return packets_of(load_shape(config), traffic, source, head, block)
