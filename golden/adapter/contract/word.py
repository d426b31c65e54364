"""Words that the network adapter makes and reads: headers of messages, tags of packets; and why something is lost."""

from __future__ import annotations

import enum
from typing import NamedTuple

from cubecast.golden.adapter.contract.config import POLICIES, AdapterConfig

__all__ = ["HEADER_FIELDS", "AdapterReason", "Place", "Policy", "header_places", "only_policy", "tag_places"]

HEADER_FIELDS = ("node", "mask", "kind")
"""Fields of a message's header word, from bit 0 on."""


class Policy(enum.IntEnum):
    """How r1 of a unicast is chosen, of rel = destination XOR source and random bits."""

    ECUBE = 0
    """r1 = rel."""
    EITHER = 1
    """r1 = rel or 0."""
    RANDOM = 2
    """r1 is a random part of rel."""
    VALIANT = 3
    """r1 is random, without bits below the lowest of rel."""


def only_policy(config: AdapterConfig) -> Policy | None:
    """Return the one policy that there is; None where a register chooses."""
    if config.chooses:
        return None
    return Policy(POLICIES.index(config.policies) - 1) if config.draws else Policy.ECUBE


class AdapterReason(enum.IntEnum):
    """Why the adapter sends nothing, besides the reasons of the router, whose codes and names mean the same there."""

    EMPTY = 1
    """The message names nobody but its sender."""
    ADDRESS_BITS = 4
    """A bit of the message's header or bitmap is set that is above all fields."""
    BAD_KIND = 11
    """The message is of kind 3."""
    SHORT_MESSAGE = 13
    """The message ends before its first word of data."""
    NO_ROUTE = 14
    """The faults that are known leave no route."""
    RELAY_FULL = 15
    """A packet to be relayed found no room for too long, and was swallowed."""


class Place(NamedTuple):
    """Place of a field in a word.

    Parameters
    ----------
    low : int
        Lowest bit.
    width : int
        Bits; 0: there is no such field.
    """

    low: int
    width: int


def header_places(config: AdapterConfig) -> dict[str, Place]:
    """Return the fields of the header of a message: node or base, mask, kind; the bits above are 0."""
    n = config.dim
    return dict(zip(HEADER_FIELDS, (Place(0, n), Place(n, n), Place(2 * n, 2)), strict=True))


def tag_places(config: AdapterConfig) -> dict[str, Place]:
    """Return the fields of the tag of a packet; the bits above are 0."""
    n = config.dim
    return {
        "destination": Place(0, n),
        "source": Place(n, n),
        "first": Place(2 * n, 1),
        "final": Place(2 * n + 1, 1),
        "path": Place(2 * n + 2, config.path_bits),
        "ordinal": Place(config.tag_bits, config.ordinal_bits),
    }
