"""Load node: its settings, and the words by which its packets are known."""

from __future__ import annotations

import enum

from cubecast.golden.crosspoint.contract.config import CrosspointConfig

__all__ = ["BACKLOG_BITS", "NUMBER_BITS", "RATE_ONE", "SHARE_ONE", "WORDS_BITS", "Policy", "check_load", "settings"]

RATE_ONE = 1 << 24
"""A rate is in so many parts of a message per cycle."""

SHARE_ONE = 1 << 16
"""A share of messages is in so many parts."""

NUMBER_BITS = 22
"""Bits of a packet's number among those of its source; its address stands above them in the first word."""

WORDS_BITS = 8
"""Bits of a number of words."""

BACKLOG_BITS = 24
"""Bits of the number of messages that wait."""


class Policy(enum.IntEnum):
    """How a load node chooses r1 and r2 of a unicast; with one run it is always e-cube."""

    E_CUBE = 0
    EITHER = 1
    RANDOM = 2
    VALIANT = 3


def settings(config: CrosspointConfig) -> dict[str, int]:
    """Return the settings of a load node and their bits."""
    return {
        "arrival_seed": 32,
        "target_seed": 32,
        "way_seed": 32,
        "rate": RATE_ONE.bit_length(),
        "length": WORDS_BITS,
        "fixed": config.dim,
        "share": SHARE_ONE.bit_length(),
        "policy": 2,
        "broadcast": SHARE_ONE.bit_length(),
        "listed": SHARE_ONE.bit_length(),
        "members": config.dim,
    }


def check_load(config: CrosspointConfig) -> None:
    """Raise ``ValueError`` unless words and packets of these routers can carry what a load node needs."""
    if not 32 <= config.width <= 63:
        raise ValueError(f"width must be an integer from 32 to 63 where load is measured, not {config.width}")
    if config.packet_limit < 2 and config.multicast:
        raise ValueError(f"packet_limit must be at least 2 where multicast load is measured, not {config.packet_limit}")
    if config.packet_limit > 255:
        raise ValueError(f"packet_limit must be at most 255 where load is measured, not {config.packet_limit}")
