"""Facts of the self-test: registers of the traffic generator and the traffic checker, and their states."""

from __future__ import annotations

import dataclasses
from enum import IntEnum
from typing import Any

from cubecast.golden.common.contract import registers
from cubecast.golden.common.contract.registers import Entry, Field, meaning_of, register
from cubecast.golden.multicast.contract.config import Config

__all__ = [
    "ADDRESS_BITS",
    "CHECKER",
    "Activity",
    "Checker",
    "Command",
    "Generator",
    "GeneratorState",
    "Phase",
    "c_header",
    "plain",
    "register_map",
]

ADDRESS_BITS = 5
"""Width of an address of one unit's registers."""

CHECKER = 1 << ADDRESS_BITS
"""What the address of a checker's register in its node has besides: the generator's come first."""


class Generator(IntEnum):
    """Addresses of the generator's registers."""

    CONTROL = 0x00
    SEED = 0x01
    LOAD = 0x02
    MIX = 0x03
    MULTICAST = 0x04
    LISTED = 0x05
    LENGTH = 0x06
    LIMIT = 0x07
    MESSAGES = 0x08
    WORDS = 0x09
    EXPECTED = 0x0A
    EXPECTED_WORDS = 0x0B
    SIGNATURE = 0x0C
    CLOCKS = 0x0D
    PENDING = 0x0E


class Checker(IntEnum):
    """Addresses of the checker's registers, without the bit that tells them from the generator's."""

    CONTROL = 0x00
    SEED = 0x01
    STALL = 0x02
    DELIVERED = 0x0A
    DELIVERED_WORDS = 0x0B
    SIGNATURE = 0x0C
    PAYLOAD_ERRORS = 0x0D
    ERRORS = 0x0E


class Command(IntEnum):
    """Bits of CONTROL that do something when they are written as one; the checker's has the last alone."""

    START = 0
    """Begin to create messages."""
    STOP = 1
    """Create no more messages."""
    CLEAR = 2
    """Clear the counters."""


class Activity(IntEnum):
    """Bits of the generator's CONTROL when it is read."""

    RUNNING = 0
    BUSY = 1


class GeneratorState(IntEnum):
    """What the generator does."""

    IDLE = 0
    SUM = 1
    K = 2
    LIST = 3
    CONTROL = 4
    SOURCE = 5
    BODY = 6


class Phase(IntEnum):
    """Which word of a delivery the checker takes next."""

    HEAD = 0
    SOURCE = 1
    FIRST = 2
    REST = 3


_NAMES = {
    Checker.CONTROL: "CHECKER_CONTROL",
    Checker.SEED: "CHECKER_SEED",
    Checker.SIGNATURE: "DELIVERED_SIGNATURE",
}
"""What registers of the checker are called in a node where the generator has one of that name."""


def _range(bits: int) -> tuple[Field, Field]:
    """Return the fields of a number that is drawn."""
    return Field("LEAST", 0, bits, "the least of them"), Field("MASK", 16, bits, "what is added: random AND this")


def _generator(config: Config) -> tuple[Entry, ...]:
    """Return the registers of the generator."""
    k, length = _range(config.dim), _range(max(1, config.max_data.bit_length()))
    return (
        register(
            Generator.CONTROL,
            "what the generator does",
            Field(Activity.RUNNING.name, Activity.RUNNING, 1, "messages are created"),
            Field(Activity.BUSY.name, Activity.BUSY, 1, "it is not idle"),
            Field(Command.CLEAR.name, Command.CLEAR, 1, "reads 0"),
            on_write=f"with bit {Command.START} starts, with bit {Command.STOP} stops, with CLEAR clears the counters",
        ),
        register(Generator.SEED, "seed of the random numbers; start loads it", on_write="sets it"),
        register(
            Generator.LOAD,
            "how often messages are created",
            Field("LOAD", 0, 17, "probability, in 1/65536, that one is created in a cycle; 65536 and more: always"),
            on_write="sets it",
        ),
        register(
            Generator.MIX,
            "shares, in 1/256, of the kinds of messages; the rest is unicast",
            Field("MULTICAST", 0, 8, "at most m destinations"),
            Field("LISTED", 8, 8, "at most K destinations"),
            Field("BROADCAST", 16, 8, "all nodes"),
            on_write="sets it",
        ),
        register(Generator.MULTICAST, "k of a multicast, at most m", *k, on_write="sets it"),
        register(Generator.LISTED, "k of a listed message, at most K", *k, on_write="sets it"),
        register(Generator.LENGTH, "payload words, at most D", *length, on_write="sets it"),
        register(Generator.LIMIT, "messages that a start creates; 0: 2^32", on_write="sets it"),
        register(Generator.MESSAGES, "messages begun"),
        register(Generator.WORDS, "words injected"),
        register(Generator.EXPECTED, "deliveries that must come of them"),
        register(Generator.EXPECTED_WORDS, "payload words in these"),
        register(Generator.SIGNATURE, "sum of mix over them"),
        register(Generator.CLOCKS, "cycles not idle"),
        register(
            Generator.PENDING,
            "messages that wait",
            Field("PENDING", 0, 16, "created and not yet begun"),
        ),
    )


def _checker() -> tuple[Entry, ...]:
    """Return the registers of the checker."""
    clear = Field(Command.CLEAR.name, Command.CLEAR, 1, "reads 0")
    return (
        dataclasses.replace(
            register(Checker.CONTROL, "reads 0", clear, on_write="with CLEAR clears the checker's counters"),
            access="W",
        ),
        register(Checker.SEED, "seed of the random numbers", on_write="sets it, and loads it"),
        register(
            Checker.STALL,
            "how often words are not taken",
            Field("STALL", 0, 8, "probability, in 1/256, that none is in a cycle"),
            on_write="sets it",
        ),
        register(Checker.DELIVERED, "deliveries"),
        register(Checker.DELIVERED_WORDS, "payload words in them"),
        register(Checker.SIGNATURE, "sum of mix over them"),
        register(Checker.PAYLOAD_ERRORS, "words that are not what they must be"),
        register(Checker.ERRORS, "deliveries that ended with an error"),
    )


def register_map(config: Config) -> tuple[Entry, ...]:
    """Return every register of generator and checker as a node has them, by ascending address.

    Parameters
    ----------
    config : Config
        Parameters of the router.
    """
    own = (
        dataclasses.replace(each, name=_NAMES.get(Checker(each.address), each.name), address=CHECKER | each.address)
        for each in _checker()
    )
    return (*_generator(config), *own)


def plain(config: Config) -> list[dict[str, Any]]:
    """Return the register map as plain values, for the JSON description."""
    return registers.plain(register_map(config), "")


def c_header(config: Config, name: str = "cubecast") -> str:
    """Return the register map as a C header: numbers, offsets, masks, shifts and what CONTROL is told.

    Parameters
    ----------
    config : Config
        Parameters of the router.
    name : str
        First word of all macros, which have it in capitals, and ``_TEST`` behind it.
    """
    commands = [(f"COMMAND_{each.name}", f"0x{1 << each:x}u", meaning_of(each)) for each in Command]
    return registers.c_header(
        register_map(config),
        title="Registers of traffic generator and traffic checker of a cubecast node.",
        parameters=config.to_json(),
        prefix=f"{name.upper()}_TEST",
        nodes=config.nodes,
        codes={"Bits to write to CONTROL": commands},
    )
