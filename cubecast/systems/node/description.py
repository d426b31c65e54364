"""What a generated node interface is, in words and numbers: ports, header blocks, packets, registers, statuses."""

from __future__ import annotations

from typing import Any

from cubecast.golden.common.contract.registers import meaning_of
from cubecast.golden.node.contract import registers
from cubecast.golden.node.contract.block import FIELDS, Instruction, Status
from cubecast.golden.node.contract.config import NodeConfig
from cubecast.golden.node.contract.packet import CONTROL, ENVELOPE, Kind
from cubecast.golden.node.contract.registers import Interrupt
from cubecast.golden.packet.contract.reason import PacketReason
from cubecast.golden.packet.contract.registers import plain
from cubecast.systems.description import LITE, REGISTERS, Group, grouped, router
from cubecast.systems.node.library import library
from cubecast.systems.packet import description as packet
from cubecast.systems.system import Unit

__all__ = ["derived", "formats", "headers", "meaning", "missing"]

_DOORBELL = {
    "valid": "an instruction is offered",
    "instruction": "0 SEND, 1 BROADCAST, 2 NEIGHBOURS, 3 RECEIVE, 4 RELEASE",
    "address": "byte address of its header block; RELEASE: of the buffer",
    "ready": "the queue has room; the instruction is taken",
}

_READ = {
    "valid": "words are asked for",
    "address": "address of the first, its byte address divided by 4",
    "beats": "how many, less one",
    "ready": "the request is taken",
}

_DATA = {
    "valid": "a word comes, in the order of the requests; in the cycle after its request was taken, or later",
    "word": "the word",
    "error": "it could not be read",
}

_WRITE = {
    "valid": "a word is to be written",
    "address": "its byte address divided by 4",
    "data": "the word",
    "strobe": "its bytes that are written, the lowest first",
    "ready": "the write is taken",
}

_WATCH = {
    "valid": "the processor reads data",
    "address": "byte address",
    "size": "0: a byte, 1: two, 2: four",
}

_KIND = {"kind": "of the packet, in its source word: 0 EVEN, 1 FIRST, 2 CONTROL, 3 MORE"}

_MASTER = {
    "arid": "always 0",
    "araddr": "byte address of the first word that is read",
    "arlen": "words, less one",
    "arsize": "always 2: words of 32 bits",
    "arburst": "always 1: INCR",
    "arvalid": "a read is offered",
    "arready": "it is taken",
    "rid": "not looked at",
    "rdata": "a word, in order",
    "rresp": "0 done, 2 or 3 an error",
    "rlast": "it is the last word of its read",
    "rvalid": "a word comes",
    "rready": "always 1",
    "awid": "always 0",
    "awaddr": "byte address of the word that is written",
    "awlen": "always 0: one word",
    "awsize": "always 2: words of 32 bits",
    "awburst": "always 1: INCR",
    "awvalid": "a write is offered",
    "awready": "it is taken",
    "wdata": "the word",
    "wstrb": "its bytes that are written",
    "wlast": "always 1",
    "wvalid": "the word is offered",
    "wready": "it is taken",
    "bid": "not looked at",
    "bresp": "0 done, 2 or 3 an error",
    "bvalid": "a write is answered, in order",
    "bready": "always 1",
}

_GROUPS: tuple[Group, ...] = (
    (r"doorbell__?(\w+)", "instructions: ", _DOORBELL),
    (r"read__?(\w+)", "reads of node memory: ", _READ),
    (r"data__?(\w+)", "words of node memory: ", _DATA),
    (r"write__?(\w+)", "writes to node memory: ", _WRITE),
    (r"watch__?(\w+)", "reads of the processor: ", _WATCH),
    (r"inject__?(\w+)", "to the router's injection port: ", _KIND),
    (r"m_axi_(\w+)", "AXI4 master, node memory: ", _MASTER),
    (r"s_axi_(\w+)", "AXI4-Lite, registers and doorbells: ", LITE),
    (r"control__?(\w+)", "registers of router and interface: ", REGISTERS),
)

_PLAIN = {
    "done": "writes to node memory: the oldest one that was taken is acknowledged",
    "done_error": "writes to node memory: with done: it could not be made",
    "early": "the read of the cycle before touches bytes of a message that are still to come",
    "irq": "an interrupt is pending",
    "cut": "links of the router that are out of use",
}

_SIDE = {
    "inject": "to the router's injection port: ",
    "eject": "from the router's ejection port: ",
    "report": "from the router's report port: ",
}


def meaning(port: str, unit: str) -> str:
    """Return what a port of a unit is for.

    Raises
    ------
    KeyError
        There is no such port.
    """
    if port in _PLAIN:
        return _PLAIN[port]
    found = grouped(_GROUPS, port)
    if found:
        return found
    told = packet.meaning(port)
    side = _SIDE.get(port.partition("__")[0]) if unit == "node_interface" else None
    return side + told.partition(": ")[2] if side else told


def derived(config: NodeConfig) -> dict[str, int]:
    """Return what follows from the parameters."""
    return packet.derived(config.router) | {
        "first_bytes": config.first_bytes,
        "packet_bytes": config.packet_bytes,
    }


def _rings(unit: Unit) -> bool:
    """Return whether doorbells are rung through the registers' port, as behind an AXI4-Lite slave."""
    return bool(unit.extra.get("axi_clock"))


def formats(unit: Unit, config: NodeConfig) -> dict[str, Any]:
    """Return the formats of header blocks and packets, and the registers of a unit."""
    fields = {"envelope": ENVELOPE, "control_word": CONTROL}
    return {
        "packet": packet.packet(config.router),
        "block": {word.name: {"word": int(word), "fields": registers.fields(own)} for word, own in FIELDS.items()},
        **{name: registers.fields(own) for name, own in fields.items()},
        "kinds": {kind.name: int(kind) for kind in Kind},
        "instructions": {instruction.name: int(instruction) for instruction in Instruction},
        "statuses": {status.name: int(status) for status in Status},
        "status_meanings": {status.name: meaning_of(status) for status in Status},
        "interrupts": {interrupt.name: int(interrupt) for interrupt in Interrupt},
        "interrupt_meanings": {interrupt.name: meaning_of(interrupt) for interrupt in Interrupt},
        "node_registers": registers.plain(config, doorbells=_rings(unit)),
        **(router(PacketReason, plain(config.router)) if unit.routes else {}),
    }


def headers(unit: Unit, config: NodeConfig, name: str) -> dict[str, str]:
    """Return the C headers and the C library of a unit, by name; files and macros begin with ``name``."""
    own = {f"{name}_node_regs.h": registers.c_header(config, name, doorbells=_rings(unit)), **library(name)}
    return own | (packet.headers(unit, config.router, name, messages=False) if unit.routes else {})


def missing(config: NodeConfig) -> str:
    """Return what becomes of a link without a neighbour whose inputs are tied to 0."""
    return packet.missing(config.router)
