"""Register map of a node's collectives: the source of the tables that the host writes, and of their description."""

from __future__ import annotations

import functools
from enum import IntEnum
from typing import Any

from cubecast.golden.collective.contract.config import CollectiveConfig
from cubecast.golden.collective.contract.states import Operation, Result, State
from cubecast.golden.common.contract import registers
from cubecast.golden.common.contract.registers import Entry, Field, register

__all__ = [
    "ADDRESS_BITS",
    "OPERATION_CODES",
    "RESULT_CODES",
    "Register",
    "Table",
    "address_of",
    "addresses",
    "c_header",
    "entries",
    "plain",
    "register_map",
]

Table = dict[str, int]
"""Values of the registers of one node, by name; those of an array are called ``SEND_0``, ``SEND_1``, ..."""

OPERATION_CODES = {each.name.lower(): int(each) for each in Operation if each != Operation.REPLACE}
"""Field OPERATION of COMMAND."""

RESULT_CODES = {each.name.lower(): int(each) for each in Result}
"""Field RESULT of COMMAND: who gets the result besides the sink."""


LETTERS = {"dimension": "j", "piece": "i", "entry": "e"}
"""What the entries of an array stand for, and the letter used for it."""

ADDRESS_BITS = 6
"""Width of an address on the port of the collectives' registers."""


class Register(IntEnum):
    """Addresses of the registers; the last three are the first of a row."""

    COMMAND = 0x00
    STATUS = 0x01
    RECEIVE = 0x02
    EXPECT = 0x03
    SENDS = 0x04
    SPREAD = 0x05
    RELAYS = 0x06
    NEXT = 0x07
    ENABLE = 0x08
    RECEIVED = 0x09
    SENT = 0x0A
    FINISHED = 0x0B
    STRANGE = 0x0C
    CLOCKS = 0x0D
    ENDS = 0x10
    SEND = 0x20
    RELAY = 0x30


IDLE_ONLY = "sets it, while the node is idle"
"""What a write of a table does."""


def _counters(config: CollectiveConfig) -> tuple[Entry, ...]:
    """Return the registers that count for the host, which are as wide as the router's counters, or not there."""
    if not config.counters:
        return ()
    strange = Field("COUNT", 0, config.strange_bits, "their number, which wraps")
    busy = "cycles that the operation is, or the last one was, busy"
    return (
        register(Register.FINISHED, "operations ended, aborted ones not"),
        register(Register.STRANGE, "messages that were not expected or not whole", strange),
        register(Register.CLOCKS, busy),
    )


def register_map(config: CollectiveConfig) -> tuple[Entry, ...]:
    """Return every register, by ascending address.

    Parameters
    ----------
    config : CollectiveConfig
        Parameters of the node.
    """
    n, relays = config.dim, config.max_relays
    entries = [
        register(
            Register.COMMAND,
            "the operation",
            Field("START", 0, 1, "begin; reads 0"),
            Field("ABORT", 1, 1, "end in the middle; reads 0"),
            Field("RING", 2, 1, "circulate messages on a ring, rather than merge"),
            Field("OPERATION", 4, 3, ", ".join(f"{code} {name}" for name, code in OPERATION_CODES.items())),
            Field("RESULT", 8, 2, "who gets the result besides the sink: 0 nobody, 1 all by broadcast, 2 spread"),
            Field("EMPTY", 12, 1, "the vector has no words, and is not taken from vector_in"),
            on_write="with START begins it, while the node is idle; with ABORT ends it",
        ),
        register(
            Register.STATUS,
            "what the node does",
            Field("BUSY", 0, 1, "an operation is under way"),
            Field("FAILED", 1, 1, "a vector was too long, or a message not whole"),
            Field("STATE", 4, 4, ", ".join(f"{state:d} {state.name}" for state in State)),
            Field("ENTRY", 8, 5, "relay entry under way"),
        ),
        register(
            Register.RECEIVE,
            "neighbours that are told to send a piece here",
            Field("MASK", 0, n, "bit j: dimension j"),
            on_write=IDLE_ONLY,
        ),
        register(
            Register.EXPECT,
            "pieces to come; ring: messages to come",
            Field("COUNT", 0, 16, "their number"),
            on_write=IDLE_ONLY,
        ),
        register(
            Register.SENDS,
            "what the node sends when it has got all",
            Field("COUNT", 0, 4, f"pieces, 0 to {n}; 0: the node is the sink"),
            Field("STAGE", 4, 4, "stage in which it is active"),
            Field("WAY", 8, 8, "hops of the way: those of a detour, else 1"),
            Field("DETOUR", 16, 1, "the piece goes on a detour"),
            on_write=IDLE_ONLY,
        ),
        register(
            Register.SPREAD,
            "neighbours to pass the result to",
            Field("MASK", 0, n, "bit j: dimension j"),
            on_write=IDLE_ONLY,
        ),
        register(
            Register.RELAYS,
            "relay entries in use",
            Field("COUNT", 0, 5, f"their number, 0 to {relays}"),
            on_write=IDLE_ONLY,
        ),
        register(
            Register.NEXT,
            "ring table",
            Field("MEMBER", 0, n, "address of the next member"),
            Field("OWN", 16, 1, "the node has a message of its own"),
            on_write=IDLE_ONLY,
        ),
        register(
            Register.ENABLE,
            "whose the router's local port is",
            Field("ENABLE", 0, 1, "1: the collectives', 0: the host's"),
            on_write=IDLE_ONLY,
        ),
        register(
            Register.RECEIVED,
            "pieces received in this operation, or the last one",
            Field("COUNT", 0, 16, "their number, which wraps"),
        ),
        register(
            Register.SENT,
            "last own piece sent",
            Field("STAGE", 4, 4, "its stage"),
            Field("HOPS", 8, 8, "hops that it, and what it waited for in this stage, took one after the other"),
        ),
        *_counters(config),
        register(
            Register.ENDS,
            "detours that end here and come over the link of dimension j",
            Field("COUNT", 0, 4, "their number, 0 to 15"),
            on_write=IDLE_ONLY,
            index="dimension",
            count=n,
        ),
        register(
            Register.SEND,
            "piece i to send",
            Field("DIMENSION", 0, 4, "where it goes"),
            Field("PLACE", 16, 16, "place of its first word in the vector"),
            on_write=IDLE_ONLY,
            index="piece",
            count=n,
        ),
    ]
    if relays:
        entries.append(
            register(
                Register.RELAY,
                "piece e to pass on",
                Field("FROM", 0, 4, "dimension that it comes from"),
                Field("TO", 4, 4, "dimension that it goes to"),
                Field("FIRST", 8, 1, "it comes from the detour's first node"),
                Field("END", 9, 1, "it goes to the detour's last node"),
                on_write=IDLE_ONLY,
                index="entry",
                count=relays,
            )
        )
    return tuple(entries)


@functools.cache
def entries(config: CollectiveConfig) -> dict[str, Entry]:
    """Return every register, or array of registers, by its name."""
    return {entry.name: entry for entry in register_map(config)}


@functools.cache
def addresses(config: CollectiveConfig) -> dict[str, int]:
    """Return the address of every register by its name, ``SEND_0`` and so on for those of an array."""
    return registers.addresses(register_map(config))


def address_of(config: CollectiveConfig, name: str) -> int:
    """Return the address of a register.

    Raises
    ------
    ValueError
        There is no such register.
    """
    found = addresses(config)
    if name not in found:
        raise ValueError(f"register must be one of {', '.join(found)}, not {name!r}")
    return found[name]


def plain(config: CollectiveConfig) -> list[dict[str, Any]]:
    """Return the register map as plain values, for the JSON description."""
    return registers.plain(register_map(config), f"counter of {config.counters} bits, which wraps", config.counters)


def c_header(config: CollectiveConfig, name: str = "cubecast") -> str:
    """Return the register map as a C header: sizes, numbers, offsets, masks, shifts and codes.

    Parameters
    ----------
    config : CollectiveConfig
        Parameters of unit and router.
    name : str
        First word of all macros, which have it in capitals, and ``_COLLECTIVE`` behind it.
    """
    codes = {"OPERATION": OPERATION_CODES, "RESULT": RESULT_CODES}
    return registers.c_header(
        register_map(config),
        title="Registers of the collectives of a cubecast node.",
        parameters=config.to_json(),
        prefix=f"{name.upper()}_COLLECTIVE",
        nodes=config.nodes,
        letters=LETTERS,
        sizes=(
            ("SEGMENT_WORDS", f"{config.segment}u", "most words of a vector in one message"),
            ("COUNTER_BITS", f"{config.counters}u", "bits of FINISHED and CLOCKS, which wrap; 0: there are none"),
        ),
        codes={
            f"Field {name} of COMMAND": [(f"{name}_{each.upper()}", f"{code}u", "") for each, code in table.items()]
            for name, table in codes.items()
        }
        | {"Field STATE of STATUS": [(f"STATE_{state.name}", f"{state:d}u", "") for state in State]},
    )
