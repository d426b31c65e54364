"""Load node: its settings and counters, and how a packet carries the cycle of its message's generation."""

from __future__ import annotations

__all__ = ["COUNTERS", "SALT", "SETTINGS", "TIME_BITS", "TIME_LOW"]

SETTINGS = {"seed": 32, "rate": 16, "burst": 8, "packets": 8, "words": 6}
"""Settings and their bits."""

COUNTERS = {
    "generated": 32,
    "lost": 32,
    "collisions": 32,
    "first_count": 32,
    "first_sum": 48,
    "message_count": 32,
    "message_sum": 48,
    "message_max": 23,
    "accepted": 32,
}
"""Counters and their bits."""

TIME_BITS = 23
"""Bits of the time; differences are taken modulo 2**23."""

TIME_LOW = 16
"""Bits of the time that are in the second word of a packet; the others are in the third."""

SALT = 0x9E3779B9
"""What the seed is mixed with, besides the address."""
