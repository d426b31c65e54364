"""Load of a network of any routers: settings of its load nodes, and whom the packets that they send are for."""

from __future__ import annotations

import random
from collections.abc import Callable, Collection, Iterable, Mapping
from typing import Any, NamedTuple

import numpy as np

from cubecast.golden.common.algorithms.faults import Faults, faults_of
from cubecast.golden.common.algorithms.load import TRACE, Traced, Traffic, target
from cubecast.golden.common.contract.load import RATE_ONE, SHARE_ONE, Kind, LoadShape

__all__ = ["REFUSED", "Flits", "Packets", "drawn_settings", "faults_known", "mean_words", "packets", "traced"]

Array = np.ndarray[Any, np.dtype[Any]]

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
        Words of a bitmap beside these, which are delivered too.
    into, out : array of int
        Flits that the router takes of it, and that each destination gets of it, with the router's own words.
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
    into: Array
    out: Array
    asked: Array
    begins: Array
    owner: Array
    destination: Array
    sound: bool


Flits = Callable[[Array, Array], tuple[Array | int, Array | int]]
"""Words of a router's own before the data of packets, of which are given whether they are for all, and for how many
nodes the others are: into the router, and out of it."""


def faults_known(traffic: Traffic) -> Faults:
    """Return what is faulty.

    Raises
    ------
    ValueError
        Two ends of a link are no neighbours, or no node works.
    """
    faults = faults_of(traffic.dim, traffic.faults, traffic.faulty_links)
    if len(faults.nodes) == 1 << traffic.dim:
        raise ValueError("faults must leave a node that works")
    return faults


def mean_words(shape: LoadShape, traffic: Traffic) -> float:
    """Return the mean number of words that a message makes the network deliver, bitmaps included."""
    length, lists = traffic.mean_length, traffic.lists
    bitmaps = 0.0
    if shape.bitmaps and lists.share:
        # One for each packet, of which messages of several lengths have not as many as one of the mean length.
        bitmaps = sum(share * -(-words // shape.most(True)) for words, share in traffic.lengths.items())
    listed = length + bitmaps
    single = 1 - lists.share - traffic.broadcast
    return single * length + lists.share * lists.members * listed + traffic.broadcast * (shape.nodes - 1) * length


def drawn_settings(
    shape: LoadShape,
    traffic: Traffic,
    offered: float,
    seed: int,
    *,
    policy: int = 0,
    silent: Collection[int] = (),
    routes: Callable[[int], Mapping[str, int]] = lambda node: {},
) -> dict[str, list[int]]:
    """Return the settings of all load nodes by name, an item for each node.

    A node whose pattern leads to itself sends nothing. The same seed gives the same messages, whatever the network is.

    Parameters
    ----------
    shape : LoadShape
        What the routers take.
    traffic : Traffic
        What is sent.
    offered : float
        Words per cycle that each sending node makes the network deliver, if it can.
    seed : int
        Of everything random.
    policy : int
        Of the ways of messages to one node.
    silent : collection of int
        Nodes that send nothing.
    routes : function
        Returns the settings of a node that say where its messages can go.
    """
    chance = random.Random(seed)
    broadcast = round(SHARE_ONE * traffic.broadcast)
    common = {
        "length": traffic.length,
        "spread": traffic.spread,
        "other": traffic.other,
        "other_share": round(SHARE_ONE * traffic.other_share),
        "policy": policy,
        "broadcast": broadcast,
        "listed": min(SHARE_ONE, broadcast + round(SHARE_ONE * traffic.lists.share)),
        "members": traffic.lists.members,
    }
    rate = max(1, min(RATE_ONE, round(RATE_ONE * offered / mean_words(shape, traffic))))
    traces = traffic.pattern == TRACE
    found: dict[str, list[int]] = {}
    for node in range(shape.nodes):
        there, share = target(traffic.pattern, shape.dim, node, traffic.permutation), 1.0
        if traffic.pattern == "hotspot":
            there, share = traffic.hotspot, traffic.share * (node != traffic.hotspot)
        fixed = 0 if there is None else node ^ there
        quiet = (there == node and traffic.pattern != "hotspot") or node in silent
        mine = common | {f"{name}_seed": chance.randrange(1, 1 << 32) for name in ("arrival", "target", "way")}
        mine |= {"fixed": fixed, "share": round(SHARE_ONE * share) if fixed else 0, "rate": 0 if quiet else rate}
        if traces:
            # Every arrival is enabled, and says what the message is.
            mine |= {"fixed": 1, "share": SHARE_ONE, "rate": 0 if node in silent else RATE_ONE}
        mine |= routes(node)
        others = mine.get("spanned", (1 << shape.nodes) - 2).bit_count()
        mine["members"] = min(mine["members"], others or 1)
        for name, value in mine.items():
            found.setdefault(name, []).append(value)
    found["length_seed"] = [chance.randrange(1, 1 << 32) for _ in range(shape.nodes)]
    return found


def traced(messages: Iterable[Traced]) -> list[tuple[int, int, dict[str, int]]]:
    """Return the messages of a trace: cycle, node, and the settings that each is drawn by."""
    found = []
    for cycle, source, destination, words in messages:
        everyone = destination is None
        fixed = 1 if destination is None else source ^ destination
        drawn = {"fixed": fixed, "length": words, "broadcast": SHARE_ONE * everyone, "listed": SHARE_ONE * everyone}
        found.append((cycle, source, drawn))
    return found


def packets(
    shape: LoadShape, traffic: Traffic, source: Array, head: Array, block: Array, flits: Flits = lambda *_: (0, 0)
) -> Packets:
    """Return what the heads of packets say.

    Parameters
    ----------
    shape : LoadShape
        What the routers take.
    traffic : Traffic
        What is sent.
    source : array of int
        Their sources, ascending.
    head : array of unsigned int
        What a load node tells of them: r1, r2 from bit 10 on, kind from bit 20 on (3: the message leaves without a
        packet), whether it closes the message in bit 22, words of the message that are left from bit 55 on, whether it
        is a broadcast in bit 63.
    block : array of unsigned int
        By packet the bits of its block, 64 in each column.
    flits : function
        What a router needs besides.
    """
    size = shape.nodes

    def field(low: int, bits: int) -> Array:
        """Return some bits of all heads."""
        return (head >> np.uint64(low) & np.uint64((1 << bits) - 1)).astype(np.int64)

    r1, r2, kind, left = field(0, 10), field(10, 10), field(20, 2), field(55, 8)
    closes, everyone = field(22, 1).astype(bool), field(63, 1).astype(bool)
    opens = np.ones(len(head), dtype=bool)
    opens[1:] = closes[:-1] | (source[1:] != source[:-1])
    listed, refused = kind == Kind.LIST, kind == REFUSED
    most = np.where(listed, max(shape.most(True), 1), shape.most(False))
    ended = np.ones(len(head), dtype=bool)
    # The last message of a source need not be at its end.
    ended[1:] = (left[:-1] <= most[:-1]) | (source[1:] != source[:-1])
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
    unicast = np.flatnonzero(kind == Kind.ONE)
    owners.append(unicast)
    destinations.append(source[unicast] ^ r1[unicast] ^ r2[unicast])
    for relative in range(size):
        inside = (kind == Kind.ALL) & (relative != 0)
        if relative < shape.block:
            inside |= listed & (block[:, relative // 64] >> np.uint64(relative % 64) & np.uint64(1)).astype(bool)
        there = np.flatnonzero(inside)
        owners.append(there)
        destinations.append(source[there] ^ r1[there] ^ relative)
    owner = np.concatenate(owners)
    extra = (listed & shape.bitmaps).astype(np.int64)
    into, out = flits(kind == Kind.ALL, np.bincount(owner, minlength=len(head)))
    carried = np.where(refused, 0, words + extra)
    return Packets(
        closes,
        kind == Kind.ONE,
        words,
        extra,
        np.where(refused, 0, carried + into),
        carried + out,
        np.where(opens, asked, 0),
        begins & ~refused,
        owner,
        np.concatenate(destinations),
        bool(sound.all()),
    )
