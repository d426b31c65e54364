"""What a generated crosspoint router is, in words and numbers: ports, packets, registers, reason codes."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from cubecast.golden.common.contract.registers import meaning_of
from cubecast.golden.crosspoint.contract.axi import axi
from cubecast.golden.crosspoint.contract.config import CrosspointConfig
from cubecast.golden.crosspoint.contract.registers import c_header, plain, register_map
from cubecast.golden.crosspoint.contract.word import KIND_BITS, CrosspointReason, kinds
from cubecast.systems.description import REPORT, STREAM, grouped, of_router, router, shared, tuser
from cubecast.systems.driver import driver
from cubecast.systems.system import Unit

__all__ = ["derived", "formats", "headers", "meaning", "missing", "packet"]

_HERE = Path(__file__).parent

_LINK = {
    "push": "bit k: the word goes into the receiver's queue to output k, the highest bit: to its node; 0: no word",
    "head": "it is the first word of its packet",
    "last": "it is the last word of its packet",
    "error": "with last: the packet ended before its end, or its source said so",
    "data": "the word",
    "r1": "with head: dimensions still to be crossed in descending order",
    "r2": "with head: dimensions to be crossed then in ascending order, or the free ones of a subcube",
    "kind": "with head: kind of the packet",
    "down": "the sender has this link in its fault vector, or there is no neighbour",
    "ready": "a whole packet has room in all queues that it may need",
    "ready_up": "the same for a packet in its second run",
}

_INJECT = {
    "valid": "a word is offered",
    "data": "the word; the first one of a bitmap packet is the bitmap",
    "last": "it is the last word of its packet",
    "error": "with last: the node has ended the packet early",
    "r1": "with the first word: dimensions to be crossed in descending order",
    "r2": "with the first word: dimensions to be crossed then in ascending order, or the free ones of a subcube",
    "kind": "with the first word: kind of the packet",
    "ready": "the word is taken",
}

_EJECT = {
    "valid": "a word is offered; it stays until it is taken",
    "data": "the word; the first one of a bitmap packet is the bitmap, to be dropped",
    "last": "it is the last word of its packet",
    "error": "with last: the packet ended before its end, or its source said so, and this is no word",
    "kind": "with the first word: kind of the packet",
    "ready": "the word is taken",
}

_SENT = STREAM | {
    "tuser": "from bit 0 on: error, with tlast: the node has ended the packet early; r1, r2 and kind, beside the first "
    "word"
}

_DELIVERED = STREAM | {
    "tuser": "from bit 0 on: error, with tlast: the packet ended early, and this is no word; kind, beside the first "
    "word"
}

_REPORT = REPORT | {
    "destination": "destination concerned; of a subcube or bitmap the node that the bits of r1 lead to; of a link that "
    "was cut the neighbour",
    "port": "dimension of the unit that reports; n: injection",
    "lane": "that unit: 0 input or injection, 1 output",
}

_GROUPS = of_router(link=_LINK, inject=_INJECT, eject=_EJECT, report=_REPORT, sent=_SENT, delivered=_DELIVERED)


def meaning(port: str, unit: str = "") -> str:
    """Return what a port of a unit is for.

    Raises
    ------
    KeyError
        There is no such port.
    """
    return grouped(_GROUPS, port) or shared(port)


def packet(config: CrosspointConfig) -> dict[str, Any]:
    """Return the packet format: the header that stands beside the first word, its kinds, and the words."""
    header = (
        ("r1", config.dim, _INJECT["r1"]),
        ("r2", config.dim, _INJECT["r2"] if config.carries_r2 else "0: there is one run, and there are unicasts only"),
        ("kind", KIND_BITS, _INJECT["kind"]),
    )
    there = kinds(config)
    return {
        "word_bits": config.width,
        "most_words": config.packet_limit,
        "header": [{"name": name, "width": bits, "meaning": text} for name, bits, text in header],
        "kinds": {kind.name: int(kind) for kind in there},
        "kind_meanings": {kind.name: meaning_of(kind) for kind in there},
        "bitmap_bits": config.bitmap_bits if config.multicast else 0,
    }


def derived(config: CrosspointConfig) -> dict[str, int]:
    """Return what follows from the parameters."""
    return {
        "nodes": config.nodes,
        "local_port": config.local,
        "hop_cycles": 1 + config.forward,
        "most_packet_limit": config.most_words,
    }


def formats(unit: Unit, config: CrosspointConfig) -> dict[str, Any]:
    """Return the format of packets, with AXI ports the fields of ``tuser`` too, and the registers of a unit."""
    found = {"packet": packet(config), **router(CrosspointReason, plain(config))}
    return found | tuser(unit, axi(config))


def headers(unit: Unit, config: CrosspointConfig, name: str, *, messages: bool = True) -> dict[str, str]:
    """Return the C files of a unit, by name; names and macros begin with ``name``.

    Without ``messages`` the router's local port is no port of the unit.
    """
    sent: dict[str, Any] = {"streams": axi(config).streams, "folder": _HERE, "numbers": False} if messages else {}
    driven = driver(name, "router", "cubecast", config.to_json(), register_map(config), **sent)
    return {f"{name}_regs.h": c_header(config, name), **driven}


def missing(config: CrosspointConfig) -> str:
    """Return what becomes of a link without a neighbour whose inputs are tied: 0, but ``down`` 1."""
    if config.fault_tolerant:
        return "packets for it are dropped and reported; sources choose routes without it."
    return "no packet may need it."
