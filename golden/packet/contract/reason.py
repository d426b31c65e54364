"""Reason codes of what can go wrong with a packet."""

from __future__ import annotations

import enum

__all__ = ["PacketReason"]


class PacketReason(enum.IntEnum):
    """Why a packet was refused or lost; the 4-bit code in reports, counters and the log.

    A code that the multicast router has too means the same there.
    """

    BAD_SLOT = 1
    """At its source: no slot, several slots for a unicast, or a slot whose dimension does not lead closer, with
    fixed routing not the lowest."""
    LINK_PROTOCOL = 2
    """A head came that no router sends there or then; also one sent to a full unit of a cut link, now repaired."""
    TRUNCATED = 3
    """A packet that came over a link ended early; it was sent on as far as it came."""
    ADDRESS_BITS = 4
    """At its source: a bit above the n address bits is set in the destination."""
    DATA_TOO_LONG = 5
    """At its source: more words than a packet holds; nothing of it was sent."""
    UNDELIVERABLE = 6
    """The next hop is faulty, and, at its source, so is every other useful one or its link was given to it already."""
    PACKET_CUT = 8
    """The link's fault bit was set while the packet went out over it; the rest of it was dropped."""
    INPUT_CUT = 9
    """The packet came, or was coming, over a link whose fault bit is set."""
