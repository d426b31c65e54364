"""Load of the crosspoint network: the settings of its load nodes, and whom the packets that they send are for."""

from __future__ import annotations

import random
from typing import Any, NamedTuple

import numpy as np

from cubecast.golden.common.algorithms.load import Traffic, target
from cubecast.golden.crosspoint.algorithms.routes import POLICIES
from cubecast.golden.crosspoint.contract.config import CrosspointConfig
from cubecast.golden.crosspoint.contract.load import RATE_ONE, SHARE_ONE, Policy, check_load
from cubecast.golden.crosspoint.contract.word import Kind

__all__ = ["Packets", "check", "in_order", "node_settings", "packets", "words_of"]

Array = np.ndarray[Any, np.dtype[Any]]

WAYS = dict(zip(POLICIES, Policy, strict=True))
"""The codes of the policies."""


class Packets(NamedTuple):
    """Packets of one source after the other, each in the order sent: what an item of the arrays says of a packet.

    Parameters
    ----------
    closes : array of bool
        It is the last one of its message.
    unicast : array of bool
        It is for one node, as a unicast.
    words : array of int
        Words of the message that it carries.
    extra : array of int
        Words beside these, which are delivered too.
    owner, destination : array of int
        The deliveries that it stands for: number of a packet in these arrays, and node. These two arrays have an item
        for each delivery.
    """

    closes: Array
    unicast: Array
    words: Array
    extra: Array
    owner: Array
    destination: Array


def check(config: CrosspointConfig, traffic: Traffic) -> None:
    """Raise ``ValueError`` unless such routers can be given such a load."""
    if traffic.policy not in POLICIES:
        raise ValueError(f"policy must be one of {', '.join(POLICIES)}, not {traffic.policy!r}")
    if config.runs == 1 and traffic.policy != POLICIES[0]:
        raise ValueError(f"policy must be {POLICIES[0]} when runs is 1, not {traffic.policy!r}")
    if not config.multicast and (traffic.lists.share or traffic.broadcast):
        raise ValueError("multicast and broadcast must have share 0 without multicast")
    check_load(config)


def words_of(config: CrosspointConfig, traffic: Traffic) -> float:
    """Return the mean number of words that a message makes the network deliver, bitmaps included."""
    length, lists = traffic.length, traffic.lists
    mapped = length + (-(-length // (config.packet_limit - 1)) if lists.share else 0)
    single = 1 - lists.share - traffic.broadcast
    return single * length + lists.share * lists.members * mapped + traffic.broadcast * (config.nodes - 1) * length


def node_settings(config: CrosspointConfig, traffic: Traffic, offered: float, seed: int) -> dict[str, list[int]]:
    """Return the settings of all load nodes by name, an item for each node.

    A node whose pattern leads to itself sends nothing. The same seed gives the same messages, whatever the network is.

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
    chance = random.Random(seed)
    broadcast = round(SHARE_ONE * traffic.broadcast)
    common = {
        "length": traffic.length,
        "policy": int(WAYS[traffic.policy]),
        "broadcast": broadcast,
        "listed": min(SHARE_ONE, broadcast + round(SHARE_ONE * traffic.lists.share)),
        "members": traffic.lists.members,
    }
    rate = max(1, min(RATE_ONE, round(RATE_ONE * offered / words_of(config, traffic))))
    found: dict[str, list[int]] = {}
    for node in range(config.nodes):
        there, share = target(traffic.pattern, config.dim, node, traffic.permutation), 1.0
        if traffic.pattern == "hotspot":
            there, share = traffic.hotspot, traffic.share * (node != traffic.hotspot)
        fixed = 0 if there is None else node ^ there
        silent = there == node and traffic.pattern != "hotspot"
        mine = common | {f"{name}_seed": chance.randrange(1, 1 << 32) for name in ("arrival", "target", "way")}
        mine |= {"fixed": fixed, "share": round(SHARE_ONE * share) if fixed else 0, "rate": 0 if silent else rate}
        for name, value in mine.items():
            found.setdefault(name, []).append(value)
    return found


def in_order(config: CrosspointConfig, traffic: Traffic) -> bool:
    """Return whether all packets of a node to another one arrive in the order sent, not only those of one message."""
    return config.runs == 1 or traffic.policy == POLICIES[0]


def packets(config: CrosspointConfig, traffic: Traffic, source: Array, head: Array) -> Packets:
    """Return what the heads of packets say.

    Parameters
    ----------
    config : CrosspointConfig
        Parameters of the routers.
    traffic : Traffic
        What is sent.
    source : array of int
        Their sources, ascending.
    head : array of int
        What a load node tells of them: r1, r2 from bit 10 on, kind from bit 20 on, whether it closes the message in bit
        22, bitmap from bit 23 on.
    """
    size, limit, length = config.nodes, config.packet_limit, traffic.length
    r1, r2, kind = head & 0x3FF, head >> 10 & 0x3FF, head >> 20 & 3
    closes, bitmap = (head >> 22 & 1).astype(bool), head >> 23
    first = np.ones(len(head), dtype=bool)
    first[1:] = closes[:-1] | (source[1:] != source[:-1])
    begins = np.maximum.accumulate(np.where(first, np.arange(len(head)), 0)) if len(head) else head
    place = np.arange(len(head)) - begins
    listed = kind == Kind.BITMAP
    most = np.where(listed, max(limit - 1, 1), limit)
    # The blocks of a list follow each other.
    place %= -(-length // most)
    words = np.clip(length - place * most, 0, most)
    owners, destinations = [], []
    unicast = np.flatnonzero(kind == Kind.UNICAST)
    owners.append(unicast)
    destinations.append(source[unicast] ^ r1[unicast] ^ r2[unicast])
    for relative in range(size):
        inside = (kind == Kind.SUBCUBE) & ((relative & ~r2) == 0) & ((r1 ^ relative) != 0)
        if relative < config.bitmap_bits:
            inside |= listed & (bitmap >> relative & 1).astype(bool)
        there = np.flatnonzero(inside)
        owners.append(there)
        destinations.append(source[there] ^ r1[there] ^ relative)
    return Packets(
        closes,
        kind == Kind.UNICAST,
        words,
        listed.astype(np.int64),
        np.concatenate(owners),
        np.concatenate(destinations),
    )
