"""Words that are reduced: their operations, and the order of their fields in a queue."""

from __future__ import annotations

import enum

__all__ = ["FIELDS", "NONE", "RESERVED", "Operation"]

RESERVED = 8
"""Operations from this code on do not exist: a word that a node offers with one is marked ``error``."""

NONE = 15
"""Number of a link that stands for none, in a configuration."""

FIELDS = ("data", "rop", "last", "error")
"""Fields of a word, as a queue keeps them from bit 0 on."""


class Operation(enum.IntEnum):
    """What is made of two words; the code is in the field rop of each word, and its bit 3 is 0."""

    ADD = 0
    """Sum, modulo 2**w."""
    AND = 1
    """Bitwise and."""
    OR = 2
    """Bitwise or."""
    XOR = 3
    """Bitwise exclusive or."""
    MIN = 4
    """The lesser, as signed numbers."""
    MAX = 5
    """The greater, as signed numbers."""
    MIN_UNSIGNED = 6
    """The lesser, as numbers without sign."""
    MAX_UNSIGNED = 7
    """The greater, as numbers without sign."""
