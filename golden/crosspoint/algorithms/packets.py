"""Headers of packets: which are legal, whom they reach, and over which links."""

from __future__ import annotations

import dataclasses
from typing import NamedTuple

from cubecast.golden.crosspoint.contract.config import CrosspointConfig
from cubecast.golden.crosspoint.contract.word import CrosspointReason, Kind

__all__ = [
    "Branch",
    "Header",
    "Hop",
    "Tree",
    "branches",
    "destinations",
    "fault_of",
    "members",
    "named",
    "tree",
    "turns_back",
]


@dataclasses.dataclass(frozen=True, slots=True)
class Header:
    """What a packet says about where it goes.

    Parameters
    ----------
    kind : int
        A :class:`Kind`; 3 is illegal.
    r1, r2 : int
        Sets of dimensions: crossed in descending, then in ascending order; of a subcube r2 holds the free ones.
    bitmap : int
        First word of a bitmap packet; 0 in others.
    """

    kind: int
    r1: int
    r2: int = 0
    bitmap: int = 0


class Branch(NamedTuple):
    """One copy that a node sends on.

    Parameters
    ----------
    dimension : int
        Dimension of the link.
    left : Header
        The header on it: what is left after this hop.
    """

    dimension: int
    left: Header


class Hop(NamedTuple):
    """One link that a packet crosses.

    Parameters
    ----------
    node : int
        Where the link begins.
    came : int
        Dimension that the packet came to this node in; n at its source. So it waits in queue (came, dimension).
    dimension : int
        Dimension of the link.
    step : int
        Number of the hop on its path, from 1 on.
    """

    node: int
    came: int
    dimension: int
    step: int


class Tree(NamedTuple):
    """The way of one packet.

    Parameters
    ----------
    hops : tuple of Hop
        All links, in the order of their steps.
    delivered : tuple of int
        Nodes that it is delivered to, one entry for each delivery, ascending.
    """

    hops: tuple[Hop, ...]
    delivered: tuple[int, ...]


def members(mask: int) -> tuple[int, ...]:
    """Return the members of a set of dimensions, ascending."""
    return tuple(k for k in range(mask.bit_length()) if mask >> k & 1)


def fault_of(config: CrosspointConfig, header: Header) -> CrosspointReason | None:
    """Return why a header is illegal, None for a legal one: the first reason that applies at the injection port.

    The bitmap of a header of another kind is not looked at.
    """
    kind, r1, r2, bitmap = header.kind, header.r1, header.r2, header.bitmap
    if kind > Kind.BITMAP or (kind and not config.multicast):
        return CrosspointReason.BAD_KIND
    if kind == Kind.BITMAP:
        if r2 or r1 & (1 << config.bitmap_dims) - 1:
            return CrosspointReason.BAD_SET
        if bitmap >> config.bitmap_bits:
            return CrosspointReason.ADDRESS_BITS
        if not bitmap:
            return CrosspointReason.EMPTY
        return CrosspointReason.OWN_SOURCE if not r1 and bitmap & 1 else None
    if kind == Kind.SUBCUBE and r1 & r2:
        return CrosspointReason.BAD_SET
    if kind == Kind.UNICAST and config.runs == 1 and r2:
        return CrosspointReason.SECOND_RUN
    if not r1 | r2:
        return CrosspointReason.EMPTY
    return CrosspointReason.TURN_BACK if kind == Kind.UNICAST and turns_back(r1, r2) else None


def turns_back(r1: int, r2: int) -> bool:
    """Return whether a unicast crosses the same link there and back between its runs."""
    return bool(r1) and r1 & -r1 == r2 & -r2


def named(header: Header, node: int) -> int:
    """Return the destination that a report about this header names at a node."""
    return node ^ header.r1 ^ (header.r2 if header.kind == Kind.UNICAST else 0)


def destinations(header: Header, source: int) -> frozenset[int]:
    """Return whom a legal packet is for, by the definition of its kind; never its source."""
    first = source ^ header.r1
    if header.kind == Kind.UNICAST:
        return frozenset({first ^ header.r2})
    if header.kind == Kind.BITMAP:
        return frozenset(first ^ x for x in members(header.bitmap))
    free = [first]
    for k in members(header.r2):
        free += [node ^ 1 << k for node in free]
    return frozenset(free) - {source}


def branches(config: CrosspointConfig, came: int, header: Header) -> tuple[bool, tuple[Branch, ...]]:
    """Return what a node does with a packet: whether it takes it, and the copies that it sends on.

    Parameters
    ----------
    config : CrosspointConfig
        Gives the number of dimensions that a bitmap covers.
    came : int
        Dimension that the packet came in; n at its source, which takes nothing.
    header : Header
        What is left after that hop.
    """
    n, b = config.dim, config.bitmap_dims
    at_source = came == n
    down, up = members(header.r1), members(header.r2)
    if header.kind == Kind.UNICAST:
        if down:
            return False, (Branch(down[-1], dataclasses.replace(header, r1=header.r1 ^ 1 << down[-1])),)
        if up:
            return False, (Branch(up[0], dataclasses.replace(header, r2=header.r2 ^ 1 << up[0])),)
        return not at_source, ()
    last = (down[-1],) if down else ()
    if header.kind == Kind.SUBCUBE:
        ways = [k for k in up if k < came and not any(k < fixed for fixed in down)]
        sent = [Branch(k, Header(Kind.SUBCUBE, header.r1, header.r2 ^ 1 << k)) for k in ways]
        sent += [Branch(k, Header(Kind.SUBCUBE, header.r1 ^ 1 << k, header.r2)) for k in last]
        return not down and not at_source, tuple(sent)
    if last:
        return False, (Branch(last[0], Header(Kind.BITMAP, header.r1 ^ 1 << last[0], 0, header.bitmap)),)
    sent = []
    for k in range(min(b, came)):
        half = header.bitmap >> (1 << k) & (1 << (1 << k)) - 1
        if half:
            sent.append(Branch(k, Header(Kind.BITMAP, 0, 0, half)))
    return bool(header.bitmap & 1) and not at_source, tuple(sent)


def tree(config: CrosspointConfig, source: int, header: Header) -> Tree:
    """Return the way of a packet.

    Raises
    ------
    ValueError
        The header is illegal.
    """
    reason = fault_of(config, header)
    if reason is not None:
        raise ValueError(f"header must be legal, not {header!r}: {reason.name}")
    hops: list[Hop] = []
    delivered = []
    todo = [(source, config.dim, header, 1)]
    for node, came, left, step in todo:
        taken, sent = branches(config, came, left)
        if taken:
            delivered.append(node)
        for dimension, after in sent:
            hops.append(Hop(node, came, dimension, step))
            todo.append((node ^ 1 << dimension, dimension, after, step + 1))
    return Tree(tuple(hops), tuple(sorted(delivered)))
