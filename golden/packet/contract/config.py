"""The one parameter set of a packet router; everything is validated here and nowhere else."""

from __future__ import annotations

import dataclasses

from cubecast.golden.common.contract.parameters import (
    DERIVED,
    CubeParameters,
    boolean,
    integer,
    one_of,
    store_plain,
    width_or_none,
)
from cubecast.golden.common.contract.units import COUNTERS, MEMORIES, Control, control_of
from cubecast.golden.packet.contract.reason import PacketReason

__all__ = ["LINKS", "PORT_BITS", "ROUTINGS", "PacketConfig"]

LINKS = ("parallel", "serial")
"""Kinds of links: a whole word per cycle, or a bit per cycle."""

ROUTINGS = ("fixed", "quasi-adaptive")
"""Routing of a message's first hop: the lowest useful dimension, or any useful one."""

PORT_BITS = 4
"""Bits of a port number, in packets and between units."""


@dataclasses.dataclass(frozen=True, kw_only=True)
class PacketConfig(CubeParameters):
    """Parameters of a packet router and of a network of them.

    Parameters
    ----------
    dim : int
        Dimension n of the hypercube, 2 to 10; the network has 2**n nodes.
    rows : int
        Packets that a packet buffer unit holds, 1 to 64; at least 2 where contrary packets exist. Default 13.
    max_words : int
        Most words of a packet after the head, the source word included, 1 to 63. Default 15.
    width : int
        Bits of a word, n + 4 to 64. Default 16.
    routing : str
        One of :data:`ROUTINGS`.
    link : str
        One of :data:`LINKS`.
    fault_tolerant : bool
        True: the fault vector is obeyed, and packets at their source take another dimension around a faulty one.
    fifo_depth : int
        Words that the node input port holds, max_words + 3 to 4096. Default 2 * max_words + 4.
    log_depth : int
        Entries of a router's error log, 1 to 256, or 0: no log. Default 16.
    counters : int
        Bits of a router's counters, 8, 16 or 32, or 0: no counters. They wrap. Default 32.
    memories : str
        ``distributed`` (default): memories are read asynchronously, as a LUT RAM can be; ``block``: at the edge before,
        as a block RAM is. The router does the same in every cycle.

    Raises
    ------
    ValueError
        A parameter is out of range; one line with its name, its value and what is allowed.

    Source
    ------
    Buzzard 1988, sections 5.1 to 5.6.
    """

    rows: int = 13
    max_words: int = 15
    width: int = 16
    routing: str = "quasi-adaptive"
    link: str = "parallel"
    fault_tolerant: bool = True
    fifo_depth: int = DERIVED
    log_depth: int = 16
    counters: int = 32
    memories: str = dataclasses.field(default=MEMORIES[0], repr=False, metadata={"later": True})

    def __post_init__(self) -> None:
        """Fill in the defaults that depend on other parameters, and check everything."""
        store_plain(self)
        integer("dim", self.dim, 2, 10)
        for name, allowed in (("routing", ROUTINGS), ("link", LINKS)):
            one_of(name, getattr(self, name), allowed)
        boolean("fault_tolerant", self.fault_tolerant)
        integer("rows", self.rows, 1, 64)
        if self.contrary and self.rows < 2:
            reason = "routing is quasi-adaptive" if self.routing == "quasi-adaptive" else "fault_tolerant is True"
            raise ValueError(f"rows must be an integer from 2 to 64 when {reason}, not {self.rows!r}")
        integer("max_words", self.max_words, 1, 63)
        integer("width", self.width, self.dim + PORT_BITS, 64)
        self.derive("fifo_depth", 2 * self.max_words + 4)
        integer("fifo_depth", self.fifo_depth, self.max_words + 3, 4096)
        integer("log_depth", self.log_depth, 0, 256)
        width_or_none("counters", self.counters, COUNTERS)
        one_of("memories", self.memories, MEMORIES)

    @property
    def contrary(self) -> bool:
        """Whether contrary packets exist, so that the crossbar is full and rows are kept for others."""
        return self.routing == "quasi-adaptive" or self.fault_tolerant

    @property
    def contrary_rule(self) -> bool:
        """Whether contrary packets are refused before they can fill a packet buffer unit: always, in a product."""
        return True

    @property
    def length_bits(self) -> int:
        """Bits of the length field: 4, or more for packets of more than 15 words."""
        return max(4, self.max_words.bit_length())

    @property
    def head_bits(self) -> int:
        """Bits of a head: contrary, next port, length, destination."""
        return 1 + PORT_BITS + self.length_bits + self.width

    @property
    def word_bits(self) -> int:
        """Bits of the number of a word in a row of the buffer RAM."""
        return max(1, (self.max_words - 1).bit_length())

    @property
    def lanes(self) -> int:
        """Report streams per dimension: packet buffer unit 0, crossbar output 1, buffer slot 2."""
        return 3

    @property
    def units(self) -> int:
        """Report streams of a router."""
        return self.lanes * self.dim

    @property
    def control(self) -> Control:
        """What the units that all routers share are made for."""
        return control_of(self, self.reasons)

    @property
    def reasons(self) -> frozenset[PacketReason]:
        """Reasons that a report can have, whatever nodes and neighbours send; no unit makes one with another."""
        faults = {PacketReason.UNDELIVERABLE, PacketReason.PACKET_CUT, PacketReason.INPUT_CUT}
        return frozenset(PacketReason) - (frozenset() if self.fault_tolerant else faults)
