"""Destination lists: few packets that reach every node of a list once, around faults too."""

from __future__ import annotations

import dataclasses
import random
from collections.abc import Iterable, Iterator

from cubecast.golden.common.algorithms.address import check_items, check_node, check_source
from cubecast.golden.crosspoint.algorithms.packets import Header, members, tree
from cubecast.golden.crosspoint.algorithms.routes import (
    NOTHING,
    Faults,
    Leg,
    Unreachable,
    check_policy,
    find_route,
    is_clear,
)
from cubecast.golden.crosspoint.contract.config import CrosspointConfig
from cubecast.golden.crosspoint.contract.word import Kind

__all__ = ["Packet", "Plan", "plan", "split", "subcube_of"]


@dataclasses.dataclass(frozen=True)
class Packet:
    """A packet of a message, and those that a relay makes of it.

    Parameters
    ----------
    legs : tuple of Leg
        What is injected where: one, or two for a unicast over a relay.
    destinations : tuple of int
        Whom it is for, ascending.
    """

    legs: tuple[Leg, ...]
    destinations: tuple[int, ...]


@dataclasses.dataclass(frozen=True)
class Plan:
    """All packets of a message.

    Parameters
    ----------
    packets : tuple of Packet
        In the order in which the source sends them.
    unreachable : tuple of (int, Unreachable)
        Destinations that no packet goes to, ascending, and why.
    """

    packets: tuple[Packet, ...]
    unreachable: tuple[tuple[int, Unreachable], ...]


def subcube_of(relative: Iterable[int]) -> Header | None:
    """Return the header whose packet reaches exactly these nodes, given relative to the source; None if there is none.

    The source, 0, is never reached, so it may complete a subcube.
    """
    wanted = frozenset(relative)
    for whole in (wanted, wanted | {0}):
        both = every = next(iter(whole))
        for x in whole:
            both &= x
            every |= x
        if len(whole) == 1 << (every ^ both).bit_count():
            return Header(Kind.SUBCUBE, both, every ^ both)
    return None


def split(dim: int, bitmap_dims: int, relative: Iterable[int]) -> list[Header]:
    """Return headers of subcube and bitmap packets that reach every node of a list once, and no other.

    The nodes that a bitmap can name are a *block*: those that differ in the low dimensions alone. A block whose nodes
    make a subcube gets a subcube packet, which has no bitmap to send; any other a bitmap packet. Before that come
    subcubes over several blocks, each the one that leaves nothing to do in most blocks, of equals the largest: as many
    of them as make the fewest packets in all.

    Parameters
    ----------
    dim : int
        Dimension n of the cube.
    bitmap_dims : int
        Dimensions b that a bitmap covers.
    relative : iterable of int
        The destinations XOR the source; 0 is left out.
    """
    left = sum(1 << x for x in set(relative) - {0})
    blocks = [((1 << (1 << bitmap_dims)) - 1) << first for first in range(0, 1 << dim, 1 << bitmap_dims)]
    wide = [(header, _nodes(header)) for header in _wide(dim, bitmap_dims)]
    taken: list[Header] = []
    best, fewest = (0, left), sum(1 for block in blocks if left & block)
    while True:
        wide = [(header, nodes) for header, nodes in wide if not nodes & ~(left | 1)]
        if not wide:
            break
        done = [sum(1 for block in blocks if left & block and not left & block & ~nodes) for _, nodes in wide]
        choice = max(range(len(wide)), key=lambda k: (done[k], wide[k][1].bit_count(), -k))
        header, nodes = wide[choice]
        taken.append(header)
        left &= ~nodes
        count = len(taken) + sum(1 for block in blocks if left & block)
        if count < fewest:
            best, fewest = (len(taken), left), count
    kept, left = best
    found = taken[:kept]
    for first, block in zip(range(0, 1 << dim, 1 << bitmap_dims), blocks, strict=True):
        bits = (left & block) >> first
        if bits:
            whole = subcube_of(first | x for x in members(bits))
            found.append(whole or Header(Kind.BITMAP, first, 0, bits))
    return found


def _wide(dim: int, bitmap_dims: int) -> Iterator[Header]:
    """Yield all subcubes that reach into several blocks."""
    for r2 in range(1 << bitmap_dims, 1 << dim):
        for r1 in range(1 << dim):
            if not r1 & r2:
                yield Header(Kind.SUBCUBE, r1, r2)


def _nodes(header: Header) -> int:
    """Return the nodes of a subcube, relative to the source, as the bits of an integer."""
    nodes = 1
    for k in members(header.r2):
        nodes |= nodes << (1 << k)
    return nodes << header.r1


def plan(
    config: CrosspointConfig,
    source: int,
    wanted: Iterable[int],
    faults: Faults = NOTHING,
    *,
    policy: str = "e-cube",
    seed: int = 0,
) -> Plan:
    """Return the packets of a message.

    A single destination, and one that a packet for several does not reach because of faults, gets a unicast, by
    :func:`find_route`; without multicast all get one. Packets for several go in descending order, whatever the policy.

    Parameters
    ----------
    config : CrosspointConfig
        Dimension, runs, width of a bitmap, and whether there is multicast.
    source : int
        A working node.
    wanted : iterable of int
        Destinations; the source itself is left out.
    faults : Faults
        What is faulty.
    policy : str
        Routing policy of unicasts.
    seed : int
        Of what policies draw.

    Raises
    ------
    ValueError
        A parameter is out of range; one line with its name, its value and what is allowed.
    """
    dim, b = config.dim, config.bitmap_dims
    check_policy(policy, config.runs)
    source = check_source(source, dim, faults.nodes)
    named = {check_node("destination", node, dim) for node in check_items("destinations", wanted)} - {source}
    chance = random.Random(seed)
    working = named - faults.nodes
    packets: list[Packet] = []
    alone = working
    if config.multicast and len(working) > 1:
        # Every link of a packet for several is on the descending way to one of them: so these ways decide.
        clear = {node for node in working if is_clear(source, Header(Kind.UNICAST, source ^ node), faults)}
        alone = working - clear
        for header in split(dim, b, (node ^ source for node in clear)):
            there = tree(config, source, header).delivered
            if len(there) == 1:
                alone = alone | set(there)
            else:
                packets.append(Packet((Leg(source, header),), there))
    unreachable = {node: Unreachable.FAULTY for node in named & faults.nodes}
    for node in sorted(alone):
        route = find_route(dim, source, node, faults, runs=config.runs, policy=policy, chance=chance)
        if route.reason is None:
            packets.append(Packet(route.legs, (node,)))
        else:
            unreachable[node] = route.reason
    return Plan(tuple(packets), tuple(sorted(unreachable.items())))
