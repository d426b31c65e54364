"""Registers of the multicast router: what each means here, as plain values and as a C header."""

from __future__ import annotations

from cubecast.golden.common.contract.control import RegisterTexts
from cubecast.golden.multicast.contract.config import Config
from cubecast.golden.multicast.contract.reason import Reason

__all__ = ["MEANINGS", "REGISTERS", "c_header", "plain", "register_map"]

MEANINGS = {
    "FAULT": "fault vector: bit j is 1 when the neighbour or the link in dimension j is faulty; "
    "fault-free format: always 0, read only",
    "LOG.DESTINATION": "destination concerned, for COPY_CUT the neighbour; 0 for a malformed message and INPUT_CUT",
    "LOG.PORT": "port whose message handling unit reports; n: injection",
    "LOG.LANE": "lane of that unit",
    "CUT": "links out of use: bit j is 1 from the cycle after bit j of FAULT is set here or in the neighbour "
    "in dimension j",
    "MESSAGES_IN": "messages taken at port p, malformed ones included; p = n: injection",
    "MESSAGES_OUT": "messages that left through port p; p = n: local deliveries",
    "WORDS_OUT": "words that left through port p",
    "WAITED": "cycles in which a word for port p stood ready and could not go",
}
"""What registers and fields mean in the multicast router, where that is not the same in all routers."""


def _sizes(config: Config) -> tuple[tuple[str, str, str], ...]:
    """Return the macros of the C header that only this router has: name, value, meaning."""
    longest = 1 + config.max_list + 1 + int(config.source_field) + config.max_data
    return (
        ("BROADCAST_K", f"{config.broadcast_k}u", "field k of a broadcast"),
        ("MESSAGE_WORDS", f"{longest}u", "longest message, in words: k, list, header, payload"),
        ("DELIVERED_WORDS", f"{longest - 1 - config.max_list}u", "longest delivery, in words: header, payload"),
    )


_TEXTS = RegisterTexts(MEANINGS, Reason, _sizes)

REGISTERS = _TEXTS.entries
"""Every register, for any parameters: a width of 0 stands for n, a count of 0 for n + 1, the ports of a router."""

register_map, plain, c_header = _TEXTS.register_map, _TEXTS.plain, _TEXTS.c_header
