"""Figures 5.14 and 5.15 of Buzzard 1988: more packet buffers against longer packets."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import ClassVar

from cubecast.study.buzzard.comparisons import claim_at_least, claim_at_most
from cubecast.study.buzzard.machines import packet_machine
from cubecast.study.buzzard.packet_claims import Loads, numbered, time_ratio
from cubecast.study.buzzard.packet_loads import LONG, SHORT
from cubecast.study.buzzard.packet_study import PacketStudy
from cubecast.study.model import Claim
from cubecast.study.transport.machine import Machine
from cubecast.study.verdict import greatest, least

__all__ = ["STUDIES", "Figure514", "Figure515"]

SECTION = "Buzzard 1988, section 5.7"

ALIKE = 1.1
"""Factor up to which a gain is taken as small."""

VERY_HIGH = 2
"""How many of the nine loads are taken as very high."""


class SizeStudy(PacketStudy):
    """Quasi-adaptive packets: 13 buffers of 32 bytes, 26 of 32, 13 of 64."""

    machines: ClassVar[Mapping[str, Machine]] = {
        f"{packets} x {size}": packet_machine("quasi-adaptive", packets, size)
        for packets, size in ((13, 32), (26, 32), (13, 64))
    }

    def claims(self, loads: Loads, beside: Sequence[Loads]) -> list[Claim]:
        """Return the claims that the text makes about both lengths of messages."""
        return [_longer_rather_than_more(loads), _enough_buffers(loads), _longer_for_whole_messages(loads)]


class Figure514(SizeStudy):
    """Messages of 512 bytes on average."""

    name = "buzzard-5.14"
    title = "packet buffers and packet size, 512 bytes"
    source = "Buzzard 1988, figure 5.14"
    length = SHORT

    def claims(self, loads: Loads, beside: Sequence[Loads]) -> list[Claim]:
        """Return also those about the first packets of the shorter messages."""
        return [*super().claims(loads, beside), *_longer_for_first_packets(loads)]


class Figure515(SizeStudy):
    """Messages of 2048 bytes on average."""

    name = "buzzard-5.15"
    title = "packet buffers and packet size, 2048 bytes"
    source = "Buzzard 1988, figure 5.15"
    length = LONG


def _longer_rather_than_more(loads: Loads) -> Claim:
    """Twice as long packets against twice as many, the same memory."""
    number, values = greatest(numbered(time_ratio(loads, "13 x 64", "26 x 32", "last")))
    text = (
        "it is preferable to increase the length of packets rather than the number of packet buffers, consistently for "
        f"the arrival of the last packet [greatest ratio of times, 13 x 64 to 26 x 32 bytes, at load {number}]"
    )
    return claim_at_most(text, SECTION, values, 1.0)


def _enough_buffers(loads: Loads) -> Claim:
    """Thirteen buffers are twice the dimension."""
    number, values = greatest(numbered(time_ratio(loads, "13 x 32", "26 x 32", "last")))
    text = (
        "1 to 1 1/2 n packet buffers are adequate, so more than 13 gain little for n = 6 "
        f"[greatest ratio of times of the last byte, 13 to 26 buffers, at load {number}; {ALIKE:g} taken as little]"
    )
    return claim_at_most(text, SECTION, values, ALIKE)


def _longer_for_whole_messages(loads: Loads) -> Claim:
    """Longer packets have fewer headers."""
    number, values = greatest(numbered(time_ratio(loads, "13 x 64", "13 x 32", "last")))
    text = (
        "larger packets improve the arrival of whole messages while packets are much smaller than messages "
        f"[greatest ratio of times of the last byte, 64 to 32 bytes, at load {number}]"
    )
    return claim_at_most(text, SECTION, values, 1.0)


def _longer_for_first_packets(loads: Loads) -> list[Claim]:
    """Longer packets take longer themselves."""
    ratios = numbered(time_ratio(loads, "13 x 64", "13 x 32", "first"))
    lighter = dict(list(ratios.items())[VERY_HIGH:])
    number, values = least(lighter)
    text = (
        "first packets of the shorter messages: larger packets do not lead to lower times until the load gets very "
        f"high [least ratio of times, 64 to 32 bytes, without the {VERY_HIGH} heaviest loads, at load {number}]"
    )
    heaviest = "but they do when it is [the same ratio at the heaviest load]"
    return [claim_at_least(text, SECTION, values, 1.0), claim_at_most(heaviest, SECTION, ratios["1"], 1.0)]


STUDIES = (Figure514(), Figure515())
