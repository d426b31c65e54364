"""Load node: what it is made for, its settings, and the words by which its packets are known."""

from __future__ import annotations

import dataclasses
import enum

from cubecast.golden.common.contract.parameters import CubeParameters, boolean, integer

__all__ = [
    "BACKLOG_BITS",
    "KIND_BITS",
    "LEAST_NUMBER_BITS",
    "MOST_WAITING",
    "RATE_ONE",
    "SHARE_ONE",
    "WORDS_BITS",
    "Kind",
    "LoadShape",
    "Policy",
    "route_settings",
    "settings",
]

RATE_ONE = 1 << 24
"""A rate is in so many parts of a message per cycle."""

SHARE_ONE = 1 << 16
"""A share of messages is in so many parts."""

NUMBER_BITS, LEAST_NUMBER_BITS = 22, 10
"""Bits of a packet's number among those of its source: so many if they fit into its first word, and no fewer."""

WORDS_BITS = 8
"""Bits of a number of words."""

BACKLOG_BITS = 24
"""Bits of the number of messages that wait."""

MOST_WAITING = (1 << BACKLOG_BITS) - 1
"""Messages that wait at most: none arrives while there are so many."""

KIND_BITS = 2
"""Bits of a kind."""


class Kind(enum.IntEnum):
    """Whom a packet is for."""

    ONE = 0
    """The node ``r1 ^ r2``, relative to the sender."""
    ALL = 1
    """All other nodes; ``r1`` is 0, ``r2`` all ones."""
    LIST = 2
    """Those of a block of nodes that its bits name; ``r1`` is the first node of the block, ``r2`` 0."""


class Policy(enum.IntEnum):
    """How a load node chooses r1 and r2 of a message to one node; with one run it is always e-cube."""

    E_CUBE = 0
    EITHER = 1
    RANDOM = 2
    VALIANT = 3


@dataclasses.dataclass(frozen=True, kw_only=True)
class LoadShape(CubeParameters):
    """What a load node has to know of the router beside it.

    Parameters
    ----------
    dim : int
        Dimension n of the hypercube.
    width : int
        Bits of a word, at least n + :data:`LEAST_NUMBER_BITS`.
    packet_limit : int
        Most words of a packet, 1 to 255; with ``bitmaps`` at least 2.
    block_dims : int
        A packet to a list reaches nodes of one block of 2**block_dims, 0 to n.
    runs : int
        1: a message to one node has one way, r2 = 0; 2: its r1 and r2 are chosen.
    multicast : bool
        There are messages to lists and to all.
    tables : bool
        Settings say which nodes can be reached, and how.
    bitmaps : bool
        A packet to a list begins with the bits of its block, a word.
    lead : int
        Words of the router before the data of a packet that comes, 0 to 3.

    Raises
    ------
    ValueError
        A parameter is out of range.
    """

    width: int
    packet_limit: int
    block_dims: int
    runs: int = 1
    multicast: bool = True
    tables: bool = False
    bitmaps: bool = False
    lead: int = 0

    def __post_init__(self) -> None:
        """Check everything."""
        least = self.dim + LEAST_NUMBER_BITS
        if self.width < least:
            raise ValueError(f"width must be at least {least} where load is measured, not {self.width}")
        low = 1 + (self.bitmaps and self.multicast)
        if not low <= self.packet_limit <= 255:
            where = "multicast load" if low > 1 else "load"
            raise ValueError(
                f"packet_limit must be from {low} to 255 where {where} is measured, not {self.packet_limit}"
            )
        integer("block_dims", self.block_dims, 0, self.dim)
        integer("runs", self.runs, 1, 2)
        integer("lead", self.lead, 0, 3)
        for name in ("multicast", "tables", "bitmaps"):
            boolean(name, getattr(self, name))

    @property
    def block(self) -> int:
        """Nodes of a block, 2**block_dims."""
        return 1 << self.block_dims

    @property
    def number_bits(self) -> int:
        """Bits of a packet's number; the address of its source stands above them in its first word."""
        return min(NUMBER_BITS, self.width - self.dim)

    def most(self, listed: bool) -> int:
        """Return the most words of a message in one packet, which may be for a list."""
        return self.packet_limit - (self.bitmaps and listed)


def settings(shape: LoadShape) -> dict[str, int]:
    """Return the settings of a load node and their bits."""
    seeds = dict.fromkeys(("arrival_seed", "target_seed", "way_seed", "length_seed"), 32)
    lengths = {"length": WORDS_BITS, "spread": WORDS_BITS, "other": WORDS_BITS, "other_share": SHARE_ONE.bit_length()}
    shares = dict.fromkeys(("share", "broadcast", "listed"), SHARE_ONE.bit_length())
    found = {**seeds, "rate": RATE_ONE.bit_length(), **lengths, **shares}
    found |= {"fixed": shape.dim, "members": shape.dim, "policy": 2}
    return found | dict.fromkeys(route_settings(shape), shape.nodes)


def route_settings(shape: LoadShape) -> tuple[str, ...]:
    """Return the settings of a load node that have a bit for each relative destination."""
    if not shape.tables:
        return ()
    chosen = ("free", *(f"way_{k}" for k in range(shape.dim))) if shape.runs == 2 else ()
    return ("reached", *chosen, *(("spanned",) if shape.multicast else ()))
