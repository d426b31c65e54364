"""The same small traffic for the packet network and for the simulator, and the machine that stands for the network.

The network has serial links, a bit per cycle: a head is 27 bits with its start bits, and a word 18. Ticks are cycles.
"""

from __future__ import annotations

import numpy as np

from cubecast.golden.packet.contract.config import PacketConfig
from cubecast.study.checks.cycle_accurate import Carried, Parcel, carry
from cubecast.study.checks.network_details import Details, simulate_details
from cubecast.study.seeds import generator
from cubecast.study.transport.distribution import IntArray
from cubecast.study.transport.machine import HEADER, Machine
from cubecast.study.transport.simulation import Record, simulate
from cubecast.study.transport.traffic import Messages, Traffic, draw

__all__ = [
    "DELIVERY",
    "HOP",
    "PERIOD",
    "ROUTINGS",
    "in_detail",
    "in_network",
    "in_simulator",
    "packet_messages",
    "single_messages",
]

WORDS = 15
"""Words after the head of a packet: with them it has the 32 bytes of the source."""

HEAD = 27
"""Cycles of a head on a line: 25 bits, and two start bits."""

CHOICE = 4
"""Cycles from the last bit of a head to its first bit on the next line."""

HOP = HEAD + CHOICE
"""Cycles from the first bit of a head on a line to its first bit on the next."""

DELIVERY = 16
"""Cycles in which a node takes a packet that is stored: a head and 15 words."""

BYTE, PACKET = 7, 43
"""Ticks for a byte and bytes of a packet in the simulator."""

PERIOD = BYTE * PACKET
"""Ticks from one packet on a line to the next when packets wait: 27 + 15 * 18 cycles, and 4 to choose."""

ROUTINGS = {"fixed": "fixed-packet", "quasi-adaptive": "quasi-adaptive"}
"""Transport of the simulator by routing of the network."""


def packet_messages(seed: int, dim: int, packets: int, load: float, count: int, run: int) -> Messages:
    """Return the messages of a run: at random times, all of the same number of packets.

    Parameters
    ----------
    seed : int
        That of the command line.
    dim : int
        Dimension of the cube.
    packets : int
        Packets of a message.
    load : float
        Share of the time that the links would be busy in the long run.
    count : int
        Messages of each node.
    run : int
        Number of the run.
    """
    hops = dim * (1 << dim - 1) / ((1 << dim) - 1)
    interval = round(packets * PERIOD * hops / (dim * load))
    traffic = Traffic(dim, count, f"exp({interval})", str(packets * (PACKET - HEADER)), "uni()")
    return draw(generator(seed, "checks.packets", dim, packets, round(100 * load), run), traffic)


def single_messages(dim: int) -> Messages:
    """Return messages of one packet over each distance, each long after the one before."""
    distance = np.arange(1, dim + 1)
    source = np.zeros_like(distance)
    return Messages(dim, 10 * PERIOD * distance, source, (1 << distance) - 1, source + PACKET - HEADER)


def in_network(routing: str, sent: Messages) -> Carried:
    """Return what becomes of messages in the packet network."""
    config = PacketConfig(dim=sent.dim, routing=routing, link="serial", max_words=WORDS)
    packets = -(-sent.length // (PACKET - HEADER))
    each = zip(*(values.tolist() for values in (sent.time, sent.source, sent.destination, packets)), strict=True)
    return carry(config, [Parcel(*parcel) for parcel in each])


def in_simulator(routing: str, sent: Messages) -> Record:
    """Return what becomes of them in the simulator, with the ticks of the network."""
    return simulate(_machine(routing), sent)


def in_detail(routing: str, sent: Messages, details: Details) -> tuple[IntArray, IntArray]:
    """Return ticks until the first and last packet, with details as in the network."""
    return simulate_details(_machine(routing), sent, details)


def _machine(routing: str) -> Machine:
    """Return the machine that stands for the network."""
    return Machine(ROUTINGS[routing], byte=BYTE, setup=CHOICE, head=HEAD, packet=PACKET, packets=13)
