"""Simulation of messages in a machine."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from cubecast.study.transport.circuit import Circuit
from cubecast.study.transport.cut_through import CutThrough
from cubecast.study.transport.datagram import Datagram
from cubecast.study.transport.distribution import IntArray
from cubecast.study.transport.event_queue import EventQueue
from cubecast.study.transport.machine import Machine
from cubecast.study.transport.packet import FixedPacket, QuasiAdaptive
from cubecast.study.transport.traffic import Messages
from cubecast.study.transport.transport import Transport
from cubecast.study.transport.wormhole import Wormhole

__all__ = ["STRATEGIES", "Record", "simulate"]

STRATEGIES: dict[str, type[Transport]] = {
    "datagram": Datagram,
    "cut-through": CutThrough,
    "circuit": Circuit,
    "wormhole": Wormhole,
    "fixed-packet": FixedPacket,
    "quasi-adaptive": QuasiAdaptive,
}
"""Class of each transport."""


@dataclass(frozen=True, eq=False)
class Record:
    """What happened to the messages, in their order.

    Parameters
    ----------
    first : IntArray
        Ticks from the generation of a message until its first packet, or its first ``Machine.packet`` bytes, arrived.
    last : IntArray
        Ticks from the generation of a message until its last byte arrived.
    events : int
        Events handled.
    end : int
        Tick of the last arrival.
    most_buffered : int
        Most bytes stored in one node at once, of messages that neither come from it nor go to it.
    link_ticks : int
        Sum over the links of the ticks in which they were held.
    """

    first: IntArray
    last: IntArray
    events: int
    end: int
    most_buffered: int
    link_ticks: int


def simulate(machine: Machine, messages: Messages) -> Record:
    """Let a machine transport messages until all have arrived.

    Raises
    ------
    RuntimeError
        If messages are left over that can never arrive, or resources that are never freed.

    Source
    ------
    Buzzard 1988, sections 4.4.1 and 5.7.
    """
    queue = EventQueue()
    transport = STRATEGIES[machine.transport](machine, messages, queue)
    start = transport.start
    for message, time in enumerate(messages.time.tolist()):
        queue.at(time, start, message)
    queue.run()
    first = np.array(transport.first, dtype=np.int64)
    last = np.array(transport.last, dtype=np.int64)
    if (lost := np.flatnonzero(last < 0)).size:
        raise RuntimeError(f"{lost.size} of {last.size} messages never arrive, the first is message {lost[0]}")
    if busy := transport.busy():
        raise RuntimeError(f"{len(busy)} resources are never freed, the first is {busy[0]}")
    return Record(
        first - messages.time,
        last - messages.time,
        queue.events,
        int(last.max(initial=0)),
        transport.most_buffered,
        transport.link_ticks,
    )
