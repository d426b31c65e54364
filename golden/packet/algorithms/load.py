"""Load of the packet network: what it can be given, and what its packets carry besides."""

from __future__ import annotations

from typing import Any

import numpy as np

from cubecast.golden.common.algorithms.load import Traffic
from cubecast.golden.common.algorithms.load_packets import Packets, drawn_settings, traced
from cubecast.golden.common.algorithms.load_packets import packets as packets_of
from cubecast.golden.packet.contract.config import PacketConfig
from cubecast.golden.packet.contract.load import load_shape

__all__ = ["check", "in_order", "load_shape", "node_settings", "packets", "traced"]

Array = np.ndarray[Any, np.dtype[Any]]


def check(config: PacketConfig, traffic: Traffic) -> None:
    """Raise ``ValueError`` unless such routers can be given such a load."""
    if traffic.policy:
        raise ValueError(f"policy must not be given with the packet router, which has routing, not {traffic.policy!r}")
    if traffic.faults or traffic.faulty_links:
        raise ValueError("fault and faulty links must not be given with the packet router where load is measured")
    load_shape(config)


def node_settings(config: PacketConfig, traffic: Traffic, offered: float, seed: int) -> dict[str, list[int]]:
    """Return the settings of all load nodes by name, an item for each node.

    As :func:`cubecast.golden.common.algorithms.load_packets.drawn_settings`.
    """
    return drawn_settings(load_shape(config), traffic, offered, seed)


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
