"""Words on links, what a queue keeps of them, which queues there are, and why a packet is lost."""

from __future__ import annotations

import dataclasses
import enum

from cubecast.golden.common.contract.parameters import Parameters
from cubecast.golden.crosspoint.contract.config import CrosspointConfig

__all__ = [
    "CONTEXTS",
    "KIND_BITS",
    "OPERATION_BITS",
    "CrosspointReason",
    "Kept",
    "Kind",
    "has_queue",
    "inputs_of",
    "kept",
    "kinds",
    "link_wires",
    "outputs_of",
]

KIND_BITS = 2
"""Bits of a kind."""

OPERATION_BITS = 4
"""Bits of the operation of a word that is reduced, which a router with a join unit passes on."""

CONTEXTS = ("", "_1")
"""What stands behind the names of what belongs to a join unit beside a router: of the first, and of the second."""


class Kind(enum.IntEnum):
    """What the header of a packet says; 3 is free, and illegal."""

    UNICAST = 0
    """To one node: the source XOR r1 XOR r2."""
    SUBCUBE = 1
    """To all nodes source XOR r1 XOR x, x a subset of r2."""
    BITMAP = 2
    """To all nodes source XOR r1 XOR x, bit x of the first word being 1."""


def kinds(config: CrosspointConfig) -> tuple[Kind, ...]:
    """Return the kinds of packets that there are."""
    return tuple(Kind) if config.multicast else (Kind.UNICAST,)


class CrosspointReason(enum.IntEnum):
    """Why a packet, or a part of it, was not delivered; the 4-bit code in reports, counters and the log.

    A code and name that another router has too means the same there.
    """

    EMPTY = 1
    """At its source: no destination; r1 and r2 of a unicast or subcube are 0, or no bit of the bitmap is set."""
    TURN_BACK = 2
    """At its source: the last dimension of r1 is the first of r2, so the packet would turn back on a link."""
    BAD_SET = 3
    """At its source: r1 and r2 of a subcube have a common dimension; r1 of a bitmap has one that the bitmap covers, or
    its r2 is not 0."""
    ADDRESS_BITS = 4
    """At its source: a bit above the 2**b bits of the bitmap is set in the first word."""
    DATA_TOO_LONG = 5
    """At its source: more words than a packet may have; as many were sent, the final one with ``error``."""
    UNDELIVERABLE = 6
    """The link that the packet was to cross is cut; nothing of it was sent there."""
    PAUSED = 7
    """At its source: no word came for too long in the middle of the packet, which was ended with ``error``."""
    PACKET_CUT = 8
    """The link was cut while the packet went out over it; the rest of it was dropped."""
    INPUT_CUT = 9
    """The link was cut while the packet came in over it; what had come was ended with ``error``."""
    OWN_SOURCE = 10
    """At its source: the bitmap names the source itself."""
    BAD_KIND = 11
    """At its source: kind 3, or a subcube or bitmap where there are none."""
    SECOND_RUN = 12
    """At its source: r2 of a unicast is not 0 where there is one run."""


def has_queue(config: CrosspointConfig, i: int, j: int) -> bool:
    """Return whether there is a queue from input i to output j; n is the injection port, and the ejection port.

    None leads back, none from the injection to the ejection port, and with one run none from a link to a higher one.
    """
    n = config.dim
    if i == j:
        return False
    return config.runs == 2 or i == n or j == n or i > j


def inputs_of(config: CrosspointConfig, j: int) -> tuple[int, ...]:
    """Return the inputs that have a queue to output j, ascending; requester k of the output is the k-th of them."""
    return tuple(i for i in range(config.ports) if has_queue(config, i, j))


def outputs_of(config: CrosspointConfig, i: int) -> tuple[int, ...]:
    """Return the outputs that input i has a queue to, ascending."""
    return tuple(j for j in range(config.ports) if has_queue(config, i, j))


@dataclasses.dataclass(frozen=True, kw_only=True)
class Kept(Parameters):
    """What queue (i, j) keeps of a word, besides ``data``, ``last`` and ``error``; the rest reads 0 at its head.

    In its RAM, from bit 0 on: data, last, error, r1, r2, kind, over, turns.

    Parameters
    ----------
    width : int
        Data bits.
    r1 : int
        Number of bits of r1: the low ones.
    r2_low, r2 : int
        Lowest bit of r2, and number of bits from there on.
    kind : bool
        Whether the kind is kept.
    over, turns : bool
        Whether it is kept that the first run ends with the hop over link j, and that a second one begins there.
    """

    width: int
    r1: int
    r2_low: int
    r2: int
    kind: bool
    over: bool
    turns: bool

    @property
    def bits(self) -> int:
        """Width of the RAM."""
        return self.width + 2 + self.r1 + self.r2 + KIND_BITS * self.kind + self.over + self.turns


def kept(config: CrosspointConfig, i: int, j: int) -> Kept:
    """Return what the queue from input i to output j keeps: what a later hop, or the node, can read."""
    n = config.dim
    r1 = r2_low = r2 = 0
    kind, down = config.multicast, i > j
    if down:
        r1 = j + int(config.runs == 2)
        r2 = n if config.runs == 2 else j if config.multicast else 0
    elif j < n:
        r2_low, r2, kind = j + 1, n - j - 1, False
    turns = down and config.runs == 2
    return Kept(width=config.width, r1=r1, r2_low=r2_low, r2=r2, kind=kind, over=down, turns=turns)


def link_wires(config: CrosspointConfig, j: int) -> tuple[int, int]:
    """Return how many wires of the link in dimension j somebody reads: forward and backward."""
    n, two, multicast = config.dim, config.runs == 2, config.multicast
    pushes = sum(has_queue(config, j, k) for k in range(n + 1))
    r2 = n if two else j if multicast else 0
    forward = pushes + 3 + config.width + j + r2 + KIND_BITS * multicast + int(config.fault_tolerant)
    return forward, 1 + two
