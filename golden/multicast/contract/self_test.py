"""Facts of the self-test: registers of the traffic generator and the traffic checker, and their states."""

from __future__ import annotations

from enum import IntEnum

__all__ = ["ADDRESS_BITS", "CHECKER", "Checker", "Generator", "GeneratorState", "Phase"]

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
