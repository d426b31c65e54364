"""Packets: head, source word, port numbers."""

from __future__ import annotations

import dataclasses

from cubecast.golden.packet.contract.config import PORT_BITS, PacketConfig

__all__ = ["KIND_BITS", "NONE", "Head", "source_word", "split_source_word"]

NONE = (1 << PORT_BITS) - 1
"""Port number of a row that has nothing more to send."""

KIND_BITS = 2
"""Bits of the kind of a packet, below the slot in its source word; 0 where packets have none."""


@dataclasses.dataclass(frozen=True, kw_only=True)
class Head:
    """Head of a packet.

    Parameters
    ----------
    contrary : int
        1: the hop being made is not the one of fixed routing.
    next_port : int
        Output port wanted at the node that receives it.
    length : int
        Words after the head.
    destination : int
        Address of the destination node; its source's for a broadcast.

    Source: Buzzard 1988, figure 5.3 and section 5.4 (preheader).
    """

    contrary: int = 0
    next_port: int
    length: int
    destination: int

    def encode(self, config: PacketConfig) -> int:
        """Return the ``head_bits`` bits of the head; fields too large for their place raise ``ValueError``."""
        value = 0
        fields = (
            ("contrary", 1),
            ("next_port", PORT_BITS),
            ("length", config.length_bits),
            ("destination", config.width),
        )
        for name, bits in fields:
            field = getattr(self, name)
            if not 0 <= field < 1 << bits:
                raise ValueError(f"{name} must be an integer from 0 to {(1 << bits) - 1}, not {field!r}")
            value = value << bits | field
        return value

    @classmethod
    def decode(cls, config: PacketConfig, value: int) -> Head:
        """Return the head that these bits stand for."""
        high = value >> config.width
        return cls(
            contrary=high >> PORT_BITS + config.length_bits & 1,
            next_port=high >> config.length_bits & NONE,
            length=high & (1 << config.length_bits) - 1,
            destination=value & (1 << config.width) - 1,
        )


def source_word(config: PacketConfig, slot: int, address: int, kind: int = 0) -> int:
    """Return the first word after the head: slot and kind in the top bits, the source's address in the low ones."""
    return (slot << KIND_BITS | kind) << config.width - PORT_BITS - KIND_BITS | address


def split_source_word(config: PacketConfig, word: int) -> tuple[int, int]:
    """Return slot and address of a source word."""
    return word >> config.width - PORT_BITS, word & config.nodes - 1
