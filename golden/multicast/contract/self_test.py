"""Facts of the self-test: registers of the traffic generator and the traffic checker, and their states."""

from __future__ import annotations

from enum import IntEnum

__all__ = [
    "ADDRESS_BITS",
    "CHECKER",
    "REGISTERS",
    "Activity",
    "Checker",
    "Command",
    "Generator",
    "GeneratorState",
    "Phase",
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
    STOP = 1
    CLEAR = 2


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


REGISTERS: tuple[tuple[int, str, str, str], ...] = (
    (
        Generator.CONTROL,
        "CONTROL",
        "RW",
        f"bit {Activity.RUNNING} running, bit {Activity.BUSY} not idle; "
        f"write: bit {Command.START} start, bit {Command.STOP} stop, bit {Command.CLEAR} clear the counters",
    ),
    (Generator.SEED, "SEED", "RW", "of the random numbers; start loads it"),
    (Generator.LOAD, "LOAD", "RW", "probability, in 1/65536, that a message is created in a cycle"),
    (Generator.MIX, "MIX", "RW", "7:0 multicast, 15:8 listed, 23:16 broadcast: share in 1/256; the rest is unicast"),
    (Generator.MULTICAST, "MULTICAST", "RW", "9:0 least, 25:16 mask: k = least + (random AND mask), at most m"),
    (Generator.LISTED, "LISTED", "RW", "the same, at most K"),
    (Generator.LENGTH, "LENGTH", "RW", "12:0 least, 28:16 mask: payload words = least + (random AND mask), at most D"),
    (Generator.LIMIT, "LIMIT", "RW", "messages that a start creates; 0: 2^32"),
    (Generator.MESSAGES, "MESSAGES", "R", "messages begun"),
    (Generator.WORDS, "WORDS", "R", "words injected"),
    (Generator.EXPECTED, "EXPECTED", "R", "deliveries that must come of them"),
    (Generator.EXPECTED_WORDS, "EXPECTED_WORDS", "R", "payload words in these"),
    (Generator.SIGNATURE, "SIGNATURE", "R", "sum of mix over them"),
    (Generator.CLOCKS, "CLOCKS", "R", "cycles not idle"),
    (Generator.PENDING, "PENDING", "R", "messages created and not yet begun"),
    (CHECKER | Checker.CONTROL, "CHECKER_CONTROL", "W", f"bit {Command.CLEAR} clears the checker's counters; reads 0"),
    (CHECKER | Checker.SEED, "CHECKER_SEED", "RW", "of the random numbers; a write loads it"),
    (CHECKER | Checker.STALL, "STALL", "RW", "probability, in 1/256, that a word is not taken in a cycle"),
    (CHECKER | Checker.DELIVERED, "DELIVERED", "R", "deliveries"),
    (CHECKER | Checker.DELIVERED_WORDS, "DELIVERED_WORDS", "R", "payload words in them"),
    (CHECKER | Checker.SIGNATURE, "DELIVERED_SIGNATURE", "R", "sum of mix over them"),
    (CHECKER | Checker.PAYLOAD_ERRORS, "PAYLOAD_ERRORS", "R", "words that are not what they must be"),
    (CHECKER | Checker.ERRORS, "ERRORS", "R", "deliveries that ended with an error"),
)
"""Registers of generator and checker as a node has them: address, name, access, meaning."""
