"""Registers of the packet router: what each means here, as plain values and as a C header."""

from __future__ import annotations

from cubecast.golden.common.contract.control import RegisterTexts
from cubecast.golden.packet.contract.config import PacketConfig
from cubecast.golden.packet.contract.reason import PacketReason

__all__ = ["MEANINGS", "REGISTERS", "c_header", "plain", "register_map"]

MEANINGS = {
    "FAULT": "fault vector: bit j is 1 when the neighbour or the link in dimension j is faulty; "
    "without fault tolerance: always 0, read only",
    "CUT": "FAULT, one cycle later",
    "MESSAGES_IN": "packets whose head packet buffer unit p took; p = n: packets injected, a broadcast once for all "
    "slots that took its last word in the same cycle",
    "MESSAGES_OUT": "packets that left through port p whole; p = n: to the node",
    "WORDS_OUT": "heads and words that left through port p",
    "WAITED": "cycles in which a packet asked for port p and had to wait, for another one or for room behind the port; "
    "a contrary packet does not ask while the link refuses it",
    "LOG.DESTINATION": "destination concerned, of a broadcast its source",
    "LOG.PORT": "dimension of the unit that reports",
    "LOG.LANE": "that unit: 0 packet buffer unit, 1 crossbar output, 2 buffer slot",
}
"""What registers and fields mean in the packet router, where that is not the same in all routers."""


def _sizes(config: PacketConfig) -> tuple[tuple[str, str, str], ...]:
    """Return the macros of the C header that only this router has: name, value, meaning."""
    return (
        ("INJECTED_WORDS", f"{config.max_words}u", "longest packet at inject, in words: destination, data"),
        ("DELIVERED_WORDS", f"{config.max_words + 1}u", "longest packet at eject: destination, source word, data"),
    )


_TEXTS = RegisterTexts(MEANINGS, PacketReason, _sizes)

REGISTERS = _TEXTS.entries
"""Every register, for any parameters: a width of 0 stands for n, a count of 0 for n + 1, the ports of a router."""

register_map, plain, c_header = _TEXTS.register_map, _TEXTS.plain, _TEXTS.c_header
