"""What a generated network adapter is, in words and numbers: ports, messages, tags, registers."""

from __future__ import annotations

from typing import Any

from cubecast.golden.adapter.contract import registers
from cubecast.golden.adapter.contract.axi import axi
from cubecast.golden.adapter.contract.config import AdapterConfig
from cubecast.golden.adapter.contract.word import AdapterReason, header_places, tag_places
from cubecast.golden.common.contract.registers import meaning_of
from cubecast.golden.crosspoint.contract.registers import plain
from cubecast.golden.crosspoint.contract.word import CrosspointReason
from cubecast.systems.crosspoint import description as crosspoint
from cubecast.systems.description import LITE, REGISTERS, REPORT, STREAM, Group, grouped, router, tuser
from cubecast.systems.system import Unit

__all__ = ["derived", "formats", "headers", "meaning", "missing"]

_SEND = {
    "valid": "a word is offered",
    "data": "the word: the header of the message, then, of kind 2, those of its bitmap, then data",
    "last": "it is the last word of its message",
    "error": "with last: the message is not whole",
    "ready": "the word is taken",
}

_RECEIVE = {
    "valid": "a word is offered; it stays until it is taken",
    "data": "the word",
    "last": "it is the last word of its message",
    "error": "with last: the message ended early, its source said that it is not whole, or words are missing behind it",
    "first": "it is the first word of its message",
    "source": "node that sent the message",
    "path": "tells messages of one source apart that come at a time",
    "ordinal": "number of the packet that the word came in, which tells whether one is missing before it",
    "more": "with last: the message goes on, in another frame",
    "ready": "the word is taken",
}

_REPORT = REPORT | {"destination": "destination concerned; of a message that is illegal the field node of its header"}

_SENT = STREAM | {
    "tdata": f"{STREAM['tdata']}; {_SEND['data'].partition(': ')[2]}",
    "tlast": _SEND["last"],
    "tuser": "error: with tlast, the message is not whole",
}

_DELIVERED = STREAM | {
    "tlast": _RECEIVE["last"],
    "tid": _RECEIVE["source"],
    "tuser": "from bit 0 on: error, with tlast: the message ended early, its source said that it is not whole, or "
    "words are missing behind it; first: the first word of its message; path; with reassembly more, with tlast: the "
    "message goes on; ordinal: number of the packet that the word came in",
}

_GROUPS: tuple[Group, ...] = (
    (r"s_axis_(\w+)", "AXI4-Stream, messages of the node: ", _SENT),
    (r"m_axis_(\w+)", "AXI4-Stream, words for the node: ", _DELIVERED),
    (r"s_axi_adapter_(\w+)", "AXI4-Lite, registers of the adapter: ", LITE),
    (r"send__?(\w+)", "messages of the node: ", _SEND),
    (r"receive__?(\w+)", "words for the node: ", _RECEIVE),
    (r"adapter__?(\w+)", "registers of the adapter: ", REGISTERS),
)

_ALONE: tuple[Group, ...] = (
    (r"control__(\w+)", "registers of the adapter: ", REGISTERS),
    (r"report__(\w+)", "report to the router: ", _REPORT),
)
"""Ports of the adapter alone whose names mean something else in a node."""

_SIDE = {"inject": "to the router's injection port: ", "eject": "from the router's ejection port: "}


def meaning(port: str, unit: str) -> str:
    """Return what a port of a unit is for.

    Raises
    ------
    KeyError
        There is no such port.
    """
    found = grouped(_GROUPS, port)
    if unit.endswith("crosspoint_adapter"):
        if port == "cut":
            return "links of the router that are out of use"
        found = found or grouped(_ALONE, port)
        side = _SIDE.get(port.partition("__")[0])
        if side:
            return side + crosspoint.meaning(port).partition(": ")[2]
    return found or crosspoint.meaning(port)


def derived(config: AdapterConfig) -> dict[str, int]:
    """Return what follows from the parameters."""
    return crosspoint.derived(config.router) | {"most_data_words": config.router.packet_limit - 1}


def formats(unit: Unit, config: AdapterConfig) -> dict[str, Any]:
    """Return the formats of messages and tags, and the registers of a unit."""
    headers = {"header": header_places(config), "tag": tag_places(config)}
    return {
        "packet": crosspoint.packet(config.router),
        "message": {
            "bitmap_words": config.rows,
            "bitmap_bits": config.router.bitmap_bits,
            **{
                name: [{"name": field, "low": place.low, "width": place.width} for field, place in places.items()]
                for name, places in headers.items()
            },
        },
        "adapter_registers": registers.plain(config),
        "adapter_reasons": {reason.name: int(reason) for reason in AdapterReason},
        "adapter_reason_meanings": {reason.name: meaning_of(reason) for reason in AdapterReason},
        **(router(CrosspointReason, plain(config.router)) if unit.routes else {}),
        **tuser(unit, axi(config)),
    }


def headers(unit: Unit, config: AdapterConfig, name: str) -> dict[str, str]:
    """Return the C files of a unit, by name; files and macros begin with ``name``."""
    own = {f"{name}_adapter_regs.h": registers.c_header(config, name)}
    return own | (crosspoint.headers(unit, config.router, name, messages=False) if unit.routes else {})


def missing(config: AdapterConfig) -> str:
    """Return what becomes of a link without a neighbour whose inputs are tied: 0, but ``down`` 1."""
    return crosspoint.missing(config.router)
