"""Registers of the crosspoint router: what each means here, as plain values and as a C header."""

from __future__ import annotations

from typing import Any

from cubecast.golden.common.contract import control
from cubecast.golden.common.contract.registers import Entry, meaning_of, worded
from cubecast.golden.crosspoint.contract.config import CrosspointConfig
from cubecast.golden.crosspoint.contract.word import CrosspointReason, kinds

__all__ = ["MEANINGS", "REGISTERS", "c_header", "plain", "register_map"]

MEANINGS = {
    "FAULT": "fault vector: bit j is 1 when the neighbour or the link in dimension j is faulty; "
    "without fault tolerance: always 0, read only",
    "CUT": "links out of use: bit j is 1 from the cycle after bit j of FAULT is set here, or, as many cycles later as "
    "the link has registers, in the neighbour in dimension j, until both were 0 for twice that many cycles",
    "MESSAGES_IN": "packets whose head was taken at port p; p = n: injection, illegal ones included",
    "MESSAGES_OUT": "packets that left through port p to their last word; p = n: to the node",
    "WORDS_OUT": "words that left through port p",
    "WAITED": "cycles in which a word for port p stood ready and could not go",
    "LOG.DESTINATION": "destination concerned; of a subcube or bitmap the node that the bits of r1 lead to; for "
    "PACKET_CUT and INPUT_CUT the neighbour",
    "LOG.PORT": "dimension of the unit that reports; n: injection",
    "LOG.LANE": "that unit: 0 input or injection, 1 output",
}
"""What registers and fields mean in the crosspoint router, where that is not the same in all routers."""

REGISTERS: tuple[Entry, ...] = worded(control.REGISTERS, MEANINGS)
"""Every register, for any parameters: a width of 0 stands for n, a count of 0 for n + 1, the ports of a router."""


def register_map(config: CrosspointConfig) -> tuple[Entry, ...]:
    """Return every register that there is with these parameters, as it is with them."""
    return control.register_map(config.control, REGISTERS)


def plain(config: CrosspointConfig) -> list[dict[str, Any]]:
    """Return the register map as plain values, for the JSON description."""
    return control.plain(config.control, register_map(config))


def c_header(config: CrosspointConfig, name: str = "cubecast") -> str:
    """Return the register map as a C header: sizes, kinds, offsets, numbers, masks, shifts and reason codes.

    Parameters
    ----------
    config : CrosspointConfig
        Parameters of the router.
    name : str
        First word of all macros, which have it in capitals.
    """
    bits = config.bitmap_bits if config.multicast else 0
    sizes = (
        ("BITMAP_BITS", f"{bits}u", "nodes that a bitmap packet can name; 0: there are no such packets"),
        *((f"KIND_{kind.name}", f"{int(kind)}u", meaning_of(kind)) for kind in kinds(config)),
    )
    return control.c_header(config.control, register_map(config), CrosspointReason, config.to_json(), sizes, name)
