"""Figures 5.12 and 5.13 of Buzzard 1988: wormholes, packets with fixed routing, quasi-adaptive packets."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import ClassVar

from cubecast.study.buzzard.machines import PACKET_TRANSPORTS, packet_machine
from cubecast.study.buzzard.packet_claims import (
    Loads,
    bandwidth,
    bandwidth_suffices,
    better_than_fixed,
    latency_below_half,
    less_than_for_short,
    message_sooner,
    more_than_for_short,
    percentage,
    percentage_range,
    time_ratio,
)
from cubecast.study.buzzard.packet_loads import LONG, SHORT
from cubecast.study.buzzard.packet_study import PacketStudy
from cubecast.study.model import Claim
from cubecast.study.transport.machine import Machine
from cubecast.study.verdict import Measured

__all__ = ["STUDIES", "Figure512", "Figure513", "Variance512"]

LATENCY = "time of the first packet"

BANDWIDTH = "bandwidth"


class Figure512(PacketStudy):
    """Messages of 512 bytes on average."""

    name = "buzzard-5.12"
    title = "wormholes and packets, 512 bytes"
    source = "Buzzard 1988, figure 5.12"
    length = SHORT
    machines: ClassVar[Mapping[str, Machine]] = {name: packet_machine(name) for name in PACKET_TRANSPORTS}

    def claims(self, loads: Loads, beside: Sequence[Loads]) -> list[Claim]:
        """Return the claims about the shorter messages."""
        return [
            *_at_both_ends(loads, "fixed", LATENCY, 35, 87),
            latency_below_half(loads, "fixed", 4),
            *_at_both_ends(loads, "fixed", BANDWIDTH, 37, 81),
            message_sooner(loads, "fixed", 3),
            better_than_fixed(loads),
            latency_below_half(loads, "quasi-adaptive", 6),
            *percentage_range(
                f"{LATENCY} of quasi-adaptive packets", _shares(loads, "quasi-adaptive", LATENCY), 10, 77
            ),
            *_at_both_ends(loads, "quasi-adaptive", BANDWIDTH, 28, 81),
            message_sooner(loads, "quasi-adaptive", 4),
            bandwidth_suffices(loads),
        ]


class Port512(Figure512):
    """The same with one port through which all packets go into their node, as the source describes its hardware."""

    name = "buzzard-5.12-port"
    title = "wormholes and packets, 512 bytes, one node input port"
    source = "Buzzard 1988, figure 5.12 with section 5.4.5"
    delivery = "port"
    machines: ClassVar[Mapping[str, Machine]] = {
        name: machine if name == "wormhole" else replace(machine, delivery="port")
        for name, machine in Figure512.machines.items()
    }


class Variance512(Figure512):
    """The same with the variance of the intervals, not their deviation, half of the mean: nodes nearly in step."""

    name = "buzzard-5.12-variance"
    title = "wormholes and packets, 512 bytes, nodes nearly in step"
    source = "Buzzard 1988, figure 5.12 with section 5.7 read to the letter"
    variance = True


class Figure513(PacketStudy):
    """Messages of 2048 bytes on average."""

    name = "buzzard-5.13"
    title = "wormholes and packets, 2048 bytes"
    source = "Buzzard 1988, figure 5.13"
    length = LONG
    machines = Figure512.machines
    beside = (SHORT,)

    def claims(self, loads: Loads, beside: Sequence[Loads]) -> list[Claim]:
        """Return the claims about the larger messages, some of them beside the shorter ones."""
        (short,) = beside
        return [
            more_than_for_short(loads, short),
            less_than_for_short(loads, short),
            *percentage_range(f"{LATENCY} of fixed packets", _shares(loads, "fixed", LATENCY), 47, 69),
            *percentage_range(f"{BANDWIDTH} of fixed packets", _shares(loads, "fixed", BANDWIDTH), 39, 72),
            better_than_fixed(loads),
            *percentage_range(
                f"{LATENCY} of quasi-adaptive packets", _shares(loads, "quasi-adaptive", LATENCY), 14, 31
            ),
            *_at_both_ends(loads, "quasi-adaptive", BANDWIDTH, 31, 72),
            bandwidth_suffices(loads),
        ]


def _shares(loads: Loads, machine: str, what: str) -> list[Measured]:
    """Return the shares of the wormhole's latency or bandwidth at all loads."""
    return (
        bandwidth(loads, machine, "wormhole") if what == BANDWIDTH else time_ratio(loads, machine, "wormhole", "first")
    )


def _at_both_ends(loads: Loads, machine: str, what: str, heaviest: float, lightest: float) -> list[Claim]:
    """Return the claims that name a percentage for the heaviest and one for the lightest load."""
    shares = _shares(loads, machine, what)
    return [
        percentage(f"{what} of {machine} packets at the heaviest load", shares[0], heaviest),
        percentage(f"{what} of {machine} packets at the lightest load", shares[-1], lightest),
    ]


STUDIES = (Figure512(), Port512(), Variance512(), Figure513())
