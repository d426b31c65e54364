"""Load: what the load nodes of all routers have to know of packet routers, and settings and counters of the campaign's.

A packet of the campaign's carries the cycle of its message's generation.
"""

from __future__ import annotations

from cubecast.golden.common.contract.load import LEAST_NUMBER_BITS, LoadShape
from cubecast.golden.packet.contract.config import PacketConfig

__all__ = ["COUNTERS", "SALT", "SETTINGS", "TIME_BITS", "TIME_LOW", "load_shape"]

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


def load_shape(config: PacketConfig) -> LoadShape:
    """Return what a load node beside such a router is made for; a list is messages to one node each.

    Raises
    ------
    ValueError
        Words are too narrow or packets too short.
    """
    least = config.dim + LEAST_NUMBER_BITS
    if config.width < least:
        raise ValueError(f"width must be an integer from {least} to 64 where load is measured, not {config.width}")
    if config.max_words < 2:
        raise ValueError(f"max_words must be an integer from 2 to 63 where load is measured, not {config.max_words}")
    # Destination and source word come before the data.
    return LoadShape(
        dim=config.dim,
        width=config.width,
        packet_limit=config.max_words - 1,
        block_dims=0,
        tables=config.fault_tolerant,
        lead=2,
    )
