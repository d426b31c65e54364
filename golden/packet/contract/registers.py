"""Registers of the packet router: what each means here, as plain values and as a C header."""

from __future__ import annotations

from typing import Any

from cubecast.golden.common.contract import control
from cubecast.golden.common.contract.registers import Entry, worded
from cubecast.golden.packet.contract.config import PacketConfig
from cubecast.golden.packet.contract.packet import PacketReason

__all__ = ["MEANINGS", "REGISTERS", "c_header", "plain", "register_map"]

MEANINGS = {
    "FAULT": "fault vector: bit j is 1 when the neighbour or the link in dimension j is faulty; "
    "without fault tolerance: always 0, read only",
    "CUT": "FAULT, one cycle later",
    "MESSAGES_IN": "packets whose head packet buffer unit p took; p = n: packets injected, a broadcast once for all "
    "slots that took its last word in the same cycle",
    "MESSAGES_OUT": "packets that left through port p whole; p = n: to the node",
    "WORDS_OUT": "heads and words that left through port p",
    "WAITED": "cycles in which a packet for port p had to wait, for another one or for room behind the port",
    "LOG.DESTINATION": "destination concerned, of a broadcast its source",
    "LOG.PORT": "dimension of the unit that reports",
    "LOG.LANE": "that unit: 0 packet buffer unit, 1 crossbar output, 2 buffer slot",
}
"""What registers and fields mean in the packet router, where that is not the same in all routers."""

REGISTERS: tuple[Entry, ...] = worded(control.REGISTERS, MEANINGS)
"""Every register, for any parameters: a width of 0 stands for n, a count of 0 for n + 1, the ports of a router."""


def register_map(config: PacketConfig) -> tuple[Entry, ...]:
    """Return every register that there is with these parameters, as it is with them."""
    return control.register_map(config.control, REGISTERS)


def plain(config: PacketConfig) -> list[dict[str, Any]]:
    """Return the register map as plain values, for the JSON description."""
    return control.plain(config.control, register_map(config))


def c_header(config: PacketConfig, name: str = "cubecast") -> str:
    """Return the register map as a C header: sizes, offsets, numbers, masks, shifts and reason codes.

    Parameters
    ----------
    config : PacketConfig
        Parameters of the router.
    name : str
        First word of all macros, which have it in capitals.
    """
    sizes = (
        ("INJECTED_WORDS", f"{config.max_words}u", "longest packet at inject, in words: destination, data"),
        ("DELIVERED_WORDS", f"{config.max_words + 1}u", "longest packet at eject: destination, source word, data"),
    )
    return control.c_header(config.control, register_map(config), PacketReason, config.to_json(), sizes, name)
