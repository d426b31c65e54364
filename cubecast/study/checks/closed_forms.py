"""What can be computed on paper: latency without load, and the mean wait at a single link."""

from __future__ import annotations

import math

import numpy as np

from cubecast.study.transport.distribution import Distribution, IntArray
from cubecast.study.transport.machine import HEADER, Machine

__all__ = ["PACKETS", "lindley", "link_ticks", "mean_wait", "moments", "packet_count", "zero_load"]

PACKETS = ("fixed-packet", "quasi-adaptive")
"""Transports that send packets."""

TAIL = 40
"""Means after which an exponential distribution is cut off: less than 1e-17 is beyond."""


def packet_count(machine: Machine, length: IntArray) -> IntArray:
    """Return how many packets messages of these bytes are."""
    return -(-length // (machine.packet - HEADER))


def zero_load(machine: Machine, distance: IntArray, length: IntArray) -> tuple[IntArray, IntArray]:
    """Return the latency of messages that meet no others: ticks until the first packet or bytes, and until the last.

    Datagrams are set up and sent hop by hop, and a buffer is allocated before each hop but the last. Of everything else
    only the head makes one hop after the other, and the rest is behind it. A packet has an arbitration at its source
    too; those of the packets behind it are over when the link gets free, so that they follow one another without a gap.

    Parameters
    ----------
    machine : Machine
        The transport with its ticks.
    distance, length : array of int64
        Hops and bytes of the messages.

    Source: Buzzard 1988, sections 4.4.1 and 5.7 (the basic times).
    """
    if machine.transport in PACKETS:
        before = (distance + 1) * machine.setup + (distance - 1) * machine.head
        packet = np.minimum(length + HEADER, machine.packet)
        return before + machine.byte * packet, before + link_ticks(machine, length)
    first = machine.byte * np.minimum(length, machine.packet)
    whole = machine.byte * length
    if machine.transport == "datagram":
        before = (distance - 1) * (machine.setup + machine.allocate + whole) + machine.setup
    else:
        before = distance * machine.setup
    return before + first, before + whole


def link_ticks(machine: Machine, length: IntArray) -> IntArray:
    """Return how long messages keep the link to a neighbour."""
    if machine.transport in PACKETS:
        return machine.byte * (length + HEADER * packet_count(machine, length))
    return machine.setup + machine.byte * length


def moments(machine: Machine, length: Distribution) -> tuple[float, float]:
    """Return mean and mean square of the ticks that messages of random length keep a link.

    Raises
    ------
    ValueError
        The distribution is normal, which no closed form is used for here.
    """
    if length.kind == "constant":
        lengths, shares = np.array([max(1, round(length.mean))]), np.ones(1)
    elif length.kind == "exp":
        lengths = np.arange(1, math.ceil(TAIL * length.mean))
        above = np.exp(-(lengths - 0.5) / length.mean)
        above[0] = 1.0
        shares = above - np.append(above[1:], 0.0)
    else:
        raise ValueError(f"length must be constant or exponential, not {length.kind!r}")
    ticks = link_ticks(machine, lengths)
    return float(shares @ ticks), float(shares @ ticks**2)


def mean_wait(mean: float, square: float, interval: float) -> float:
    """Return the mean wait of messages that come at random to a single link: the formula of Pollaczek and Khinchine.

    With a constant time on the link (M/D/1) it is rho * mean / (2 (1 - rho)), with an exponential one (M/M/1)
    rho * mean / (1 - rho), rho being mean / interval.

    Parameters
    ----------
    mean, square : float
        Of the ticks that a message keeps the link, the mean and the mean square.
    interval : float
        Mean ticks between messages.

    Raises
    ------
    ValueError
        More comes than the link carries.
    """
    if interval <= mean:
        raise ValueError(f"interval must be more than the mean time on the link, {mean:g}, not {interval:g}")
    return square / (2 * (interval - mean))


def lindley(time: IntArray, ticks: IntArray) -> IntArray:
    """Return the wait of every message at a single link, first come, first served: Lindley's recursion.

    Parameters
    ----------
    time : array of int64
        When the messages come, ascending.
    ticks : array of int64
        How long they keep the link.
    """
    # Work brought before a message, less the time until then: the wait is how far this is above its least value so far.
    ahead = np.concatenate(([0], np.cumsum(ticks[:-1]))) - time
    waits: IntArray = ahead - np.minimum.accumulate(ahead)
    return waits
