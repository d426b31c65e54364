"""Registers of the node interface: numbers, fields, reasons of interrupts."""

from __future__ import annotations

import enum
from collections.abc import Iterable
from typing import Any

from cubecast.golden.common.contract import registers
from cubecast.golden.common.contract.registers import Entry, Field, Partial, meaning_of, register
from cubecast.golden.node.contract.block import (
    COMPLETE,
    FIELDS,
    STARTED,
    SYSTEM_BIT,
    WAITING,
    Instruction,
    Status,
    Word,
)
from cubecast.golden.node.contract.config import BLOCK_BYTES, NodeConfig

__all__ = ["ADDRESS_BITS", "RINGS", "Counter", "Interrupt", "Register", "c_header", "fields", "plain", "register_map"]

ADDRESS_BITS = 8
"""Width of the number of a register; those below 0x80 are the router's."""


class Interrupt(enum.IntEnum):
    """Reasons of interrupts, which are the bits of the registers IRQ_STATUS and IRQ_ENABLE."""

    BAD_OPERAND = 0
    """An instruction was refused for its operands."""
    EARLY_READ = 1
    """The processor read bytes that are still to come."""
    SYSTEM_MESSAGE = 2
    """A message of a system type has arrived."""
    DAMAGED = 3
    """A message is damaged."""
    TIMEOUT = 4
    """No answer came in time."""
    MEMORY_ERROR = 5
    """Node memory answered with an error."""
    EVENT_LOST = 6
    """The event log had no room."""


class Counter(enum.IntEnum):
    """What is counted by strobes, in the order of their registers."""

    MESSAGES_SENT = 0
    """Messages that are stored at a destination."""
    MESSAGES_RECEIVED = 1
    """Messages that are stored here."""
    PACKETS_SENT = 2
    """Packets that are injected, control packets among them."""
    PACKETS_RECEIVED = 3
    """Packets that are taken from the router."""
    UNEXPECTED = 4
    """Messages that took a system buffer because no receive was posted, at once or when one became free."""
    POSTPONED = 5
    """Offers that were refused here."""
    REWINDS = 6
    """Requests REWIND that were sent."""
    STRAY = 7
    """Packets of no message that is under way here, those behind an offer that was refused among them."""


class Register(enum.IntEnum):
    """Numbers of the registers; of an array, that of the first."""

    PLACES = 0x80
    ENABLE = 0x88
    MEMORY_FIRST = 0x89
    MEMORY_LAST = 0x8A
    BUFFERS = 0x8B
    TIMEOUT = 0x8C
    IRQ_STATUS = 0x90
    IRQ_ENABLE = 0x91
    EVENT = 0x92
    EVENT_VALUE = 0x93
    EVENTS_LOST = 0x94
    COUNTER = 0xA0
    FREE = 0xA8
    LEAST_FREE = 0xA9
    VISITED = 0xAA


RINGS = "rings the doorbell of instruction i with the value as address"
"""What a write of PLACES does where the doorbells are behind the registers' port."""


def register_map(config: NodeConfig, *, doorbells: bool = False) -> tuple[Entry, ...]:
    """Return every register, by ascending number.

    Parameters
    ----------
    config : NodeConfig
        Parameters of the node.
    doorbells : bool
        Whether doorbells are rung by writes of PLACES, as on AXI4-Lite; else they have a port of their own.
    """
    reasons = tuple(Field(name=each.name, low=each, width=1, meaning=meaning_of(each)) for each in Interrupt)

    later = "sets it, while ENABLE is 0"
    return (
        register(
            Register.PLACES,
            "doorbells that have room",
            on_write=RINGS if doorbells else "",
            partial=Partial.REFUSED if doorbells else Partial.KEPT,
            index="instruction",
            count=len(Instruction),
            reset=config.instructions,
            reset_of="instructions",
        ),
        register(
            Register.ENABLE,
            "the interface works",
            Field(name="ENABLE", low=0, width=1, meaning="the interface works"),
            on_write="sets it, if bit 0 is 1; only a reset clears it",
        ),
        register(Register.MEMORY_FIRST, "first byte of blocks and buffers", on_write=later),
        register(Register.MEMORY_LAST, "last byte of blocks and buffers", on_write=later),
        register(Register.BUFFERS, "first byte of the system buffers, a multiple of 4; not checked", on_write=later),
        register(Register.TIMEOUT, "unit 1024 cycles; 0: never", on_write=later),
        register(
            Register.IRQ_STATUS,
            "reasons that are pending",
            *reasons,
            on_write="clears the bits that are 1",
            partial=Partial.ZEROED,
        ),
        register(Register.IRQ_ENABLE, "reasons that interrupt", *reasons, on_write="sets it"),
        register(
            Register.EVENT,
            "oldest event; 0 when there is none",
            Field(name="SOURCE", low=0, width=16, meaning="source of the message"),
            Field(name="STATUS", low=16, width=8, meaning="status"),
            Field(name="REASON", low=24, width=4, meaning="bit of the interrupt"),
            Field(name="VALID", low=31, width=1, meaning="there is an event"),
            on_write="removes the event, whatever the value",
        ),
        register(Register.EVENT_VALUE, "block, type or byte address of the oldest event; 0 when there is none"),
        register(Register.EVENTS_LOST, "events that found no room"),
        register(Register.COUNTER, "counters, which wrap", index="counter", count=len(Counter)),
        register(Register.FREE, "system buffers that are free; 0 while ENABLE is 0"),
        register(Register.LEAST_FREE, "the fewest there were", reset=config.buffers, reset_of="buffers"),
        register(Register.VISITED, "blocks of posted receives that were compared, 31 at most for a message"),
    )


def fields(own: Iterable[Field]) -> list[dict[str, Any]]:
    """Return fields of a word as plain values."""
    return [{"name": f.name, "low": f.low, "width": f.width, "meaning": f.meaning} for f in own]


def plain(config: NodeConfig, *, doorbells: bool = False) -> list[dict[str, Any]]:
    """Return the register map as plain values, for the JSON description."""
    return registers.plain(register_map(config, doorbells=doorbells), "")


def c_header(config: NodeConfig, name: str = "cubecast", *, doorbells: bool = False) -> str:
    """Return registers and header blocks as a C header: sizes, numbers, masks, shifts and codes.

    Parameters
    ----------
    config : NodeConfig
        Parameters of interface and router.
    name : str
        First word of all macros, which have it in capitals, and ``_NODE`` behind it.
    doorbells : bool
        As that of :func:`register_map`.
    """
    words = [
        (f"BLOCK_{word.name}", f"{int(word)}u", "; ".join(f.meaning for f in FIELDS.get(word, ())) or "the user's own")
        for word in Word
    ]
    bits = [
        macro
        for word, own in FIELDS.items()
        for f in own
        for macro in (
            (f"BLOCK_{word.name}_{f.name}_MASK", f"0x{f.mask:08x}u", f.meaning),
            (f"BLOCK_{word.name}_{f.name}_SHIFT", f"{f.low}u", ""),
        )
    ]
    completions = (("WAITING", WAITING), ("STARTED", STARTED), ("COMPLETE", COMPLETE))
    return registers.c_header(
        register_map(config, doorbells=doorbells),
        title="Registers and header blocks of the node interface of a cubecast node.",
        parameters=config.to_json(),
        prefix=f"{name.upper()}_NODE",
        nodes=config.nodes,
        sizes=(
            ("BLOCK_ALIGN", f"{BLOCK_BYTES}u", "bytes to which a header block is aligned"),
            ("SYSTEM_TYPE", f"0x{1 << SYSTEM_BIT:x}u", "the bit of a type that makes it a system type"),
        ),
        codes={
            "Words of a header block, by their number": words,
            "Fields of these words": bits,
            "Field COMPLETION": [(f"COMPLETION_{each}", f"{value}u", "") for each, value in completions],
            "Instructions": registers.macros("DOORBELL", Instruction),
            "Statuses": registers.macros("STATUS", Status),
            "Interrupts": registers.macros("IRQ", Interrupt),
            "Counters": registers.macros("COUNTER", Counter),
        },
    )
