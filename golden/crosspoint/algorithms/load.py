"""Load of the crosspoint network: the settings of its load nodes, and whom the packets that they send are for."""

from __future__ import annotations

import math
import random
from collections.abc import Iterable
from typing import Any, NamedTuple

import numpy as np

from cubecast.golden.common.algorithms.load import TRACE, Traced, Traffic, target
from cubecast.golden.crosspoint.algorithms.packets import Header
from cubecast.golden.crosspoint.algorithms.routes import (
    POLICIES,
    Faults,
    faults_of,
    is_clear,
    legal_first_runs,
    two_run_route,
)
from cubecast.golden.crosspoint.contract.config import CrosspointConfig
from cubecast.golden.crosspoint.contract.load import RATE_ONE, SHARE_ONE, Policy, check_load, route_settings
from cubecast.golden.crosspoint.contract.word import Kind

__all__ = ["REFUSED", "Packets", "check", "in_order", "node_settings", "packets", "traced", "words_of"]

Array = np.ndarray[Any, np.dtype[Any]]

WAYS = dict(zip(POLICIES, Policy, strict=True))
"""The codes of the policies."""

REFUSED = 3
"""Kind of a message that leaves without a packet."""


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
    asked : array of int
        Of a message's first packet: for how many nodes the message is; of others 0.
    begins : array of bool
        It is the first one of its message to its destinations.
    owner, destination : array of int
        The deliveries that it stands for: number of a packet in these arrays, and node. These two arrays have an item
        for each delivery.
    sound : bool
        The packets of each message carry as many words as it may have, to all of its destinations.
    """

    closes: Array
    unicast: Array
    words: Array
    extra: Array
    asked: Array
    begins: Array
    owner: Array
    destination: Array
    sound: bool


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
        faults_known(config, traffic)
    check_load(config)


def faults_known(config: CrosspointConfig, traffic: Traffic) -> Faults:
    """Return what is faulty.

    Raises
    ------
    ValueError
        Two ends of a link are no neighbours, or no node works.
    """
    faults = faults_of(config.dim, traffic.faults, traffic.faulty_links)
    if len(faults.nodes) == config.nodes:
        raise ValueError("faults must leave a node that works")
    return faults


def words_of(config: CrosspointConfig, traffic: Traffic) -> float:
    """Return the mean number of words that a message makes the network deliver, bitmaps included."""
    length, lists = traffic.mean_length, traffic.lists
    mapped = length + (math.ceil(length / (config.packet_limit - 1)) if lists.share else 0)
    single = 1 - lists.share - traffic.broadcast
    return single * length + lists.share * lists.members * mapped + traffic.broadcast * (config.nodes - 1) * length


def node_settings(config: CrosspointConfig, traffic: Traffic, offered: float, seed: int) -> dict[str, list[int]]:
    """Return the settings of all load nodes by name, an item for each node.

    A node whose pattern leads to itself sends nothing, nor does a faulty one. The same seed gives the same messages,
    whatever the network is. With faults, ``fault_vector`` is what the routers are told of them.

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
        "spread": traffic.spread,
        "other": traffic.other,
        "other_share": round(SHARE_ONE * traffic.other_share),
        "policy": int(WAYS[traffic.policy]),
        "broadcast": broadcast,
        "listed": min(SHARE_ONE, broadcast + round(SHARE_ONE * traffic.lists.share)),
        "members": traffic.lists.members,
    }
    rate = max(1, min(RATE_ONE, round(RATE_ONE * offered / words_of(config, traffic))))
    faults = faults_known(config, traffic)
    traced = traffic.pattern == TRACE
    found: dict[str, list[int]] = {}
    for node in range(config.nodes):
        there, share = target(traffic.pattern, config.dim, node, traffic.permutation), 1.0
        if traffic.pattern == "hotspot":
            there, share = traffic.hotspot, traffic.share * (node != traffic.hotspot)
        fixed = 0 if there is None else node ^ there
        silent = (there == node and traffic.pattern != "hotspot") or node in faults.nodes
        mine = common | {f"{name}_seed": chance.randrange(1, 1 << 32) for name in ("arrival", "target", "way")}
        mine |= {"fixed": fixed, "share": round(SHARE_ONE * share) if fixed else 0, "rate": 0 if silent else rate}
        if traced:
            # Every arrival is enabled, and says what the message is.
            mine |= {"fixed": 1, "share": SHARE_ONE, "rate": 0 if node in faults.nodes else RATE_ONE}
        mine |= _routes(config, traffic.policy, node, faults)
        mine["members"] = min(mine["members"], mine.get("spanned", config.nodes - 1).bit_count() or 1)
        for name, value in mine.items():
            found.setdefault(name, []).append(value)
    found["length_seed"] = [chance.randrange(1, 1 << 32) for _ in range(config.nodes)]
    return found


def _routes(config: CrosspointConfig, policy: str, node: int, faults: Faults) -> dict[str, int]:
    """Return the settings of a node that say where its messages can go, and how, and what its router is told.

    A unicast goes as the policy says if no way that it may choose meets a fault, else by the shortest two-run route.
    """
    n, every = config.dim, (1 << config.nodes) - 1
    found = dict.fromkeys(route_settings(config), every)
    found |= {"spanned": every & ~1} if "spanned" in found else {}
    if not config.fault_tolerant:
        return found
    cut = [node in faults.nodes or not faults.passes(node, k) for k in range(n)]
    found["fault_vector"] = sum(1 << k for k in range(n) if cut[k])
    if not faults.nodes and not faults.links:
        return found
    tables = dict.fromkeys(route_settings(config), 0)
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


def traced(config: CrosspointConfig, messages: Iterable[Traced]) -> list[tuple[int, int, dict[str, int]]]:
    """Return the messages of a trace: cycle, node, and the settings that each is drawn by."""
    found = []
    for cycle, source, destination, words in messages:
        everyone = destination is None
        fixed = 1 if destination is None else source ^ destination
        drawn = {"fixed": fixed, "length": words, "broadcast": SHARE_ONE * everyone, "listed": SHARE_ONE * everyone}
        found.append((cycle, source, drawn))
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
    head : array of unsigned int
        What a load node tells of them: r1, r2 from bit 10 on, kind from bit 20 on (3: the message leaves without a
        packet), whether it closes the message in bit 22, bitmap from bit 23 on, words of the message that are left from
        bit 55 on, whether it is a broadcast in bit 63.
    """
    size, limit = config.nodes, config.packet_limit

    def field(low: int, bits: int) -> Array:
        """Return some bits of all heads."""
        return (head >> np.uint64(low) & np.uint64((1 << bits) - 1)).astype(np.int64)

    r1, r2, kind, bitmap, left = field(0, 10), field(10, 10), field(20, 2), field(23, 32), field(55, 8)
    closes, everyone = field(22, 1).astype(bool), field(63, 1).astype(bool)
    opens = np.ones(len(head), dtype=bool)
    opens[1:] = closes[:-1] | (source[1:] != source[:-1])
    listed, refused = kind == Kind.BITMAP, kind == REFUSED
    most = np.where(listed, max(limit - 1, 1), limit)
    ended = np.ones(len(head), dtype=bool)
    ended[1:] = left[:-1] <= most[:-1]
    begins = opens | ended
    message = np.cumsum(opens) - 1
    whole = left[opens][message] if len(head) else left
    before = np.roll(left, 1) - np.roll(most, 1)
    sound = np.where(begins, left == whole, left == before) & (~closes | (left <= most)) & (ended | ~opens)
    sound = refused | (sound & (traffic.may_have(whole) | (traffic.pattern == TRACE)))
    words = np.where(refused, 0, np.minimum(left, most))
    asked = np.where(everyone, size - 1, np.where(listed | (refused & (r1 == r2)), traffic.lists.members, 1))
    owners: list[Array] = []
    destinations: list[Array] = []
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
        np.where(opens, asked, 0),
        begins & ~refused,
        np.concatenate(owners),
        np.concatenate(destinations),
        bool(sound.all()),
    )
