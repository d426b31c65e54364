"""What a generated packet router is, in words and numbers: ports, packet format, registers, reason codes."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from cubecast.golden.packet.contract.axi import axi
from cubecast.golden.packet.contract.config import PORT_BITS, PacketConfig
from cubecast.golden.packet.contract.packet import NONE
from cubecast.golden.packet.contract.reason import PacketReason
from cubecast.golden.packet.contract.registers import c_header, plain, register_map
from cubecast.systems.description import REPORT, STREAM, grouped, of_router, router, shared
from cubecast.systems.driver import driver
from cubecast.systems.system import Unit

__all__ = ["derived", "formats", "headers", "meaning", "missing", "packet"]

_HERE = Path(__file__).parent

_LINK = {
    "valid": "a head or a word is there; it is taken whenever it comes",
    "head": "it is a head",
    "data": "the head, or in the low bits the word",
    "ready": "a whole packet can be taken",
    "refusing": "a contrary packet can not be taken now",
    "line": "the line: start bits, head, and sync bits and word for every further word, high bit first",
    "hold": "the 1 of a start is repeated while this is 1; after the preheader: the contrary packet is refused",
}

_INJECT = {
    "valid": "a word is offered",
    "data": "the destination, then data words",
    "last": "it is the last word of its packet",
    "slots": "buffer slots that take it: one for a unicast, any for a broadcast",
    "ready": "bit j: slot j has room for a word; the word is taken when all slots that it is for have",
}

_EJECT = {
    "valid": "a word is offered",
    "data": "the destination, then the source word (slot in the high bits, source in the low ones), then data words",
    "last": "it is the last word of its packet",
    "error": "with last: the packet ended early, and this is no word",
    "ready": "the word is taken",
}

_SLOTS = STREAM | {"tuser": "with every word: buffer slots that take it, one for a unicast, any for a broadcast"}

_REPORT = REPORT | {
    "destination": "destination concerned, of a broadcast its source",
    "port": "dimension of the unit that reports",
    "lane": "that unit: 0 packet buffer unit, 1 crossbar output, 2 buffer slot",
}

_GROUPS = of_router(link=_LINK, inject=_INJECT, eject=_EJECT, report=_REPORT, sent=_SLOTS)


def meaning(port: str, unit: str = "") -> str:
    """Return what a port of a unit is for.

    Raises
    ------
    KeyError
        There is no such port.
    """
    return grouped(_GROUPS, port) or shared(port)


def packet(config: PacketConfig) -> dict[str, Any]:
    """Return the packet format: the fields of the head from the high bit down, and the words after it."""
    head = (
        ("contrary", 1, "the hop being made is not the one of fixed routing"),
        ("next_port", PORT_BITS, f"output wanted at the node that gets the head; {config.local}: its processor"),
        ("length", config.length_bits, f"words after the head, 1 to {config.max_words}"),
        ("destination", config.width, "node address; of a broadcast its source's"),
    )
    fields, low = [], config.head_bits
    for name, bits, text in head:
        low -= bits
        fields.append({"name": name, "low": low, "width": bits, "meaning": text})
    return {
        "word_bits": config.width,
        "head_bits": config.head_bits,
        "head": fields,
        "source_word": [
            {
                "name": "slot",
                "low": config.width - PORT_BITS,
                "width": PORT_BITS,
                "meaning": "buffer slot it came from",
            },
            {"name": "source", "low": 0, "width": config.dim, "meaning": "address of the source"},
        ],
        "most_data_words": config.max_words - 1,
        "injected": ["destination", "data ..."],
        "delivered": ["destination", "source word", "data ..."],
    }


def derived(config: PacketConfig) -> dict[str, Any]:
    """Return what follows from the parameters."""
    return {
        "nodes": config.nodes,
        "local_port": config.local,
        "no_port": NONE,
        "full_crossbar": config.contrary,
    }


def formats(unit: Unit, config: PacketConfig) -> dict[str, Any]:
    """Return the format of packets, and the registers of a unit."""
    return {"packet": packet(config), **router(PacketReason, plain(config))}


def headers(unit: Unit, config: PacketConfig, name: str, *, messages: bool = True) -> dict[str, str]:
    """Return the C files of a unit, by name; names and macros begin with ``name``.

    Without ``messages`` the router's local port is no port of the unit.
    """
    sizes = {"SLOT_BITS": PORT_BITS, "ADAPTIVE": int(config.routing == "quasi-adaptive")}
    sent: dict[str, Any] = {"streams": axi(config).streams, "folder": _HERE, "sizes": sizes} if messages else {}
    driven = driver(name, "router", "cubecast", config.to_json(), register_map(config), **sent)
    return {f"{name}_regs.h": c_header(config, name), **driven}


def missing(config: PacketConfig) -> str:
    """Return what becomes of a link without a neighbour whose inputs are tied to 0."""
    if config.fault_tolerant:
        return "set its bit of FAULT before the first packet; packets on their way to it are dropped."
    return "no packet may need it."
