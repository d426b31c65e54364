"""The one parameter set of a node with a packet router and a node interface; validated here and nowhere else."""

from __future__ import annotations

import dataclasses

from cubecast.golden.common.contract.parameters import DERIVED, NodeParameters, integer, store_plain
from cubecast.golden.packet.contract.config import PORT_BITS, PacketConfig
from cubecast.golden.packet.contract.packet import KIND_BITS

__all__ = ["BLOCK_BYTES", "BLOCK_WORDS", "PREFIX_BITS", "WIDTHS", "NodeConfig"]

BLOCK_WORDS = 8
"""Words of a header block."""

BLOCK_BYTES = 4 * BLOCK_WORDS
"""Bytes of a header block, which are the alignment of blocks and the unit of a buffer's size."""

PREFIX_BITS = 48
"""Bits of a message's envelope, with which its first packet begins."""

WIDTHS = (16, 32)
"""Bits that a word of the router may have."""


@dataclasses.dataclass(frozen=True, kw_only=True)
class NodeConfig(NodeParameters):
    """Parameters of a node interface, of a node with it and of a network of them.

    Parameters
    ----------
    router : PacketConfig
        Parameters of the router; its ``width`` must be one of :data:`WIDTHS` and at least n + 6, its ``max_words`` at
        least 6.
    buffers : int
        System buffers, 0 to 256. Default 16.
    buffer_bytes : int
        Bytes of each, 32 to 65536, a multiple of 32. Default 256.
    reserved : int
        Buffers that only messages of system types may take, 0 to ``buffers``. Default min(2, ``buffers``).
    eager : int
        Packets of a message that are sent unasked, 1 to 15. Default 8.
    tracked : int
        Entries of the arrival tracker, 1 to 32. Default 8.
    hash_bits : int
        b; there are 2**b + 1 queues of posted receives, 1 to 8. Default 4.
    instructions : int
        Doorbells that are queued, 2 to 64. Default 8.
    events : int
        Entries of the event log, 2 to 256. Default 16.

    Raises
    ------
    ValueError
        A parameter is out of range; one line with its name, its value and what is allowed.

    Source
    ------
    Buzzard 1988, chapter 4.
    """

    router: PacketConfig = dataclasses.field(metadata={"part": PacketConfig})
    buffers: int = 16
    buffer_bytes: int = 256
    reserved: int = DERIVED
    eager: int = 8
    tracked: int = 8
    hash_bits: int = 4
    instructions: int = 8
    events: int = 16

    def __post_init__(self) -> None:
        """Fill in the default that depends on the buffers, and check everything."""
        store_plain(self)
        router = self.router
        self.check_router(PacketConfig, "an interface", max_words=6)
        least = router.dim + PORT_BITS + KIND_BITS
        if router.width not in WIDTHS or router.width < least:
            allowed = " or ".join(str(width) for width in WIDTHS if width >= least)
            raise ValueError(f"width must be {allowed} in a node with an interface, not {router.width!r}")
        integer("buffers", self.buffers, 0, 256)
        integer("buffer_bytes", self.buffer_bytes, BLOCK_BYTES, 65536)
        if self.buffer_bytes % BLOCK_BYTES:
            raise ValueError(f"buffer_bytes must be a multiple of {BLOCK_BYTES}, not {self.buffer_bytes!r}")
        self.derive("reserved", min(2, self.buffers))
        integer("reserved", self.reserved, 0, self.buffers)
        integer("eager", self.eager, 1, 15)
        integer("tracked", self.tracked, 1, 32)
        integer("hash_bits", self.hash_bits, 1, 8)
        integer("instructions", self.instructions, 2, 64)
        integer("events", self.events, 2, 256)

    @property
    def width(self) -> int:
        """Bits of a word of the router, W."""
        return self.router.width

    @property
    def word_bytes(self) -> int:
        """Bytes of a word of the router."""
        return self.width // 8

    @property
    def prefix_words(self) -> int:
        """Words of an envelope: 3 of 16 bits, or 2 of 32."""
        return -(-PREFIX_BITS // self.width)

    @property
    def packet_bytes(self) -> int:
        """Bytes of data in a packet that is not the first of its message: all words but the source word."""
        return (self.router.max_words - 1) * self.word_bytes

    @property
    def first_bytes(self) -> int:
        """Bytes of data in the first packet of a message."""
        return self.packet_bytes - self.prefix_words * self.word_bytes

    @property
    def buffer_bits(self) -> int:
        """Bits of the number of a buffer, at least 1."""
        return max(1, (self.buffers - 1).bit_length())

    @property
    def entry_bits(self) -> int:
        """Bits of the number of an entry of the arrival tracker, at least 1."""
        return max(1, (self.tracked - 1).bit_length())
