"""Segments, the messages of the collectives: kinds, header word, and the states of what reads and composes them."""

from __future__ import annotations

import itertools
from enum import IntEnum

from cubecast.golden.collective.contract.config import CollectiveConfig

__all__ = ["ARGUMENT_BITS", "HEADER", "Kind", "Reading", "Sending", "dimension_bit", "kind_fields", "kind_word"]


HEADER = {"kind": 3, "is_final": 1, "stage": 4, "hops": 8}
"""Fields of the first header word and their bits, from bit 0; the bits above are 0."""

ARGUMENT_BITS = 16
"""Width of the second header word, of a place in a vector, and of a number of pieces."""


class Kind(IntEnum):
    """Kinds of segments; 7 does not exist."""

    CREDIT = 0
    RELAY_CREDIT = 1
    END_CREDIT = 2
    DATA = 3
    RELAY = 4
    RESULT = 5
    RING = 6


class Reading(IntEnum):
    """``phase`` of the collective receiver: which word of a message comes next."""

    CONTROL = 0
    SOURCE = 1
    KIND = 2
    ARGUMENT = 3
    BODY = 4


class Sending(IntEnum):
    """Phase of the collective sender: which word of a message is offered."""

    IDLE = 0
    COUNT = 1
    LIST = 2
    CONTROL = 3
    SOURCE = 4
    KIND = 5
    ARGUMENT = 6
    BODY = 7
    CUT = 8


_PLACES = tuple(
    (low, (1 << bits) - 1)
    for low, bits in zip(itertools.accumulate((0, *HEADER.values())), HEADER.values(), strict=False)
)
"""Lowest bit and mask of each field."""


def kind_word(kind: int, is_final: int, stage: int, hops: int) -> int:
    """Return the first word of a segment's header."""
    values = (kind, is_final, stage, hops)
    return sum(value << low for value, (low, _) in zip(values, _PLACES, strict=True))


def kind_fields(word: int) -> tuple[int, int, int, int]:
    """Return kind, is_final, stage and hops in the first word of a segment's header."""
    kind, is_final, stage, hops = (word >> low & mask for low, mask in _PLACES)
    return kind, is_final, stage, hops


def dimension_bit(config: CollectiveConfig, dimension: int) -> int:
    """Return the mask of a dimension field of the registers, 0 if it names none."""
    return 1 << dimension if dimension < config.dim else 0
