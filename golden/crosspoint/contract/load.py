"""Load node: its settings, and the words by which its packets are known."""

from __future__ import annotations

import enum

from cubecast.golden.crosspoint.contract.config import CrosspointConfig

__all__ = [
    "BACKLOG_BITS",
    "NUMBER_BITS",
    "RATE_ONE",
    "SHARE_ONE",
    "WORDS_BITS",
    "Policy",
    "check_load",
    "route_settings",
    "settings",
]

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
    seeds = dict.fromkeys(("arrival_seed", "target_seed", "way_seed", "length_seed"), 32)
    lengths = {"length": WORDS_BITS, "spread": WORDS_BITS, "other": WORDS_BITS, "other_share": SHARE_ONE.bit_length()}
    shares = dict.fromkeys(("share", "broadcast", "listed"), SHARE_ONE.bit_length())
    found = {**seeds, "rate": RATE_ONE.bit_length(), **lengths, **shares}
    found |= {"fixed": config.dim, "members": config.dim, "policy": 2}
    return found | dict.fromkeys(route_settings(config), config.nodes)


def route_settings(config: CrosspointConfig) -> tuple[str, ...]:
    """Return the settings of a load node that have a bit for each relative destination."""
    if not config.fault_tolerant:
        return ()
    chosen = ("free", *(f"way_{k}" for k in range(config.dim))) if config.runs == 2 else ()
    return ("reached", *chosen, *(("spanned",) if config.multicast else ()))


def check_load(config: CrosspointConfig) -> None:
    """Raise ``ValueError`` unless words and packets of these routers can carry what a load node needs."""
    if not 32 <= config.width <= 63:
        raise ValueError(f"width must be an integer from 32 to 63 where load is measured, not {config.width}")
    if config.packet_limit < 2 and config.multicast:
        raise ValueError(f"packet_limit must be at least 2 where multicast load is measured, not {config.packet_limit}")
    if config.packet_limit > 255:
        raise ValueError(f"packet_limit must be at most 255 where load is measured, not {config.packet_limit}")
