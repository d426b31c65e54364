"""Registers of the multicast router: what each means here, as plain values and as a C header."""

from __future__ import annotations

from typing import Any

from cubecast.golden.common.contract import control
from cubecast.golden.common.contract.registers import Entry, worded
from cubecast.golden.multicast.contract.config import Config
from cubecast.golden.multicast.contract.message import Reason

__all__ = ["REGISTERS", "c_header", "plain", "register_map"]

REGISTERS: tuple[Entry, ...] = worded(
    control.REGISTERS,
    {
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
    },
)
"""Every register, for any parameters: a width of 0 stands for n, a count of 0 for n + 1, the ports of a router."""


def register_map(config: Config) -> tuple[Entry, ...]:
    """Return every register that there is with these parameters, as it is with them."""
    return control.register_map(config.control, REGISTERS)


def plain(config: Config) -> list[dict[str, Any]]:
    """Return the register map as plain values, for the JSON description."""
    return control.plain(config.control, register_map(config))


def c_header(config: Config, name: str = "cubecast") -> str:
    """Return the register map as a C header: sizes, offsets, numbers, masks, shifts and reason codes.

    Parameters
    ----------
    config : Config
        Parameters of the router.
    name : str
        First word of all macros, which have it in capitals.
    """
    longest = 1 + config.max_list + 1 + int(config.source_field) + config.max_data
    sizes = (
        ("BROADCAST_K", f"{config.broadcast_k}u", "field k of a broadcast"),
        ("MESSAGE_WORDS", f"{longest}u", "longest message, in words: k, list, header, payload"),
        ("DELIVERED_WORDS", f"{longest - 1 - config.max_list}u", "longest delivery, in words: header, payload"),
    )
    return control.c_header(config.control, register_map(config), Reason, config.to_json(), sizes, name)
