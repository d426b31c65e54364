"""Registers of the crosspoint router: what each means here, as plain values and as a C header."""

from __future__ import annotations

from cubecast.golden.common.contract.control import RegisterTexts
from cubecast.golden.common.contract.registers import meaning_of
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
    "LOG.LANE": "that unit: 0 input or injection, 1 output; of port n 1 is the network adapter, where there is one, "
    "and REASON is one of its own",
}
"""What registers and fields mean in the crosspoint router, where that is not the same in all routers."""


def _sizes(config: CrosspointConfig) -> tuple[tuple[str, str, str], ...]:
    """Return the macros of the C header that only this router has: name, value, meaning."""
    bits = config.bitmap_bits if config.multicast else 0
    return (
        ("BITMAP_BITS", f"{bits}u", "nodes that a bitmap packet can name; 0: there are no such packets"),
        *((f"KIND_{kind.name}", f"{int(kind)}u", meaning_of(kind)) for kind in kinds(config)),
    )


_TEXTS = RegisterTexts(MEANINGS, CrosspointReason, _sizes)

REGISTERS = _TEXTS.entries
"""Every register, for any parameters: a width of 0 stands for n, a count of 0 for n + 1, the ports of a router."""

register_map, plain, c_header = _TEXTS.register_map, _TEXTS.plain, _TEXTS.c_header
