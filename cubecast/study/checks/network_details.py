"""The simulator's packets with details of the packet network that the simulator leaves out, one by one."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from cubecast.study.transport.distribution import IntArray
from cubecast.study.transport.event_queue import EventQueue
from cubecast.study.transport.machine import Machine
from cubecast.study.transport.packet import FixedPacket, PacketTransport, QuasiAdaptive
from cubecast.study.transport.traffic import Messages

__all__ = ["Details", "simulate_details"]


@dataclass(frozen=True)
class Details:
    """What is as in the network.

    Parameters
    ----------
    delivery : int
        Ticks in which a node takes a packet that is stored in a packet buffer unit; 0: it takes it as a link would.
    reserve : bool
        Whether a free output may be kept for a packet whose unit still sends another one; of a unit, one packet at a
        time. In the network it is the oldest.
    """

    delivery: int = 0
    reserve: bool = False


def simulate_details(machine: Machine, messages: Messages, details: Details) -> tuple[IntArray, IntArray]:
    """Return the ticks until the first and until the last packet of each message has arrived.

    Raises
    ------
    RuntimeError
        Messages are left over.
    """
    queue = EventQueue()
    transport = _CLASSES[machine.transport](machine, messages, queue)
    transport.set_details(details)
    for message, time in enumerate(messages.time.tolist()):
        queue.at(time, transport.start, message)
    queue.run()
    if -1 in transport.last:
        raise RuntimeError(f"{transport.last.count(-1)} of {len(transport.last)} messages never arrive")
    return np.array(transport.first) - messages.time, np.array(transport.last) - messages.time


class _Detailed(PacketTransport):
    """Packets with details; deliveries of different units do not disturb each other."""

    def set_details(self, details: Details) -> None:
        """Set the details; before the first message."""
        self._details = details
        # Output that each unit has been promised while it sends another packet, -1 if none.
        self._promised = [-1] * len(self._wanted)

    def _try(self, node: int, j: int) -> None:
        """Promise the output to a unit that still sends, or let a packet pass."""
        if j == self.dim:
            self._deliver_all(node)
        elif not self._promise(node, j):
            super()._try(node, j)

    def _deliver_all(self, node: int) -> None:
        """Let all units that have a packet for the node, and send no other, deliver it."""
        output, now, details = node * self._outputs + self.dim, self.queue.now, self._details
        for i in range(self.dim):
            unit, bit = node * self.dim + i, 1 << i
            if not self._asking[output] & self._idle[node] & bit:
                continue
            waiting = self._waiting[unit * self._outputs + self.dim]
            asked, packet, contrary = waiting.popleft()
            if not waiting:
                self._asking[output] ^= bit
                self._wanted[unit] ^= 1 << self.dim
            self._idle[node] ^= bit
            end = now + packet[1] - self._head
            if details.delivery:
                end = max(asked + packet[1] - self._head, now + details.delivery)
            self.queue.at(end, self._passed, (node, self.dim, i, contrary))
            self.queue.at(end, self._deliver, packet)

    def _promise(self, node: int, j: int) -> bool:
        """Promise a free output to a unit that sends, if it is its turn; return whether the output is not free now."""
        dim, output = self.dim, node * self._outputs + j
        if self._taken[output]:
            return True
        if not self._details.reserve:
            return False
        asking, idle, sending = self._asking[output], self._idle[node], 0
        for i in range(dim):
            unit = node * dim + i
            if asking & ~idle & 1 << i and self._promised[unit] < 0:
                sending |= 1 << i
        behind = (node ^ 1 << j) * dim + j
        if not sending or not self._room[behind]:
            return False
        able = sending | asking & idle
        if able >> dim:
            message = self._queued[node * dim + j][0]
            if (node ^ self.destination[message]) & (1 << j) - 1 and self.refuses(behind):
                able ^= 1 << dim
        later = able & self._turn[output]
        chosen = later & -later if later else able & -able
        if not chosen & sending:
            return False
        self._turn[output] = -chosen << 1
        self._taken[output] = True
        self._promised[node * dim + chosen.bit_length() - 1] = j
        return True

    def _passed(self, passage: tuple[int, int, int, bool]) -> None:
        """End the passage of a packet out of a unit; what the unit was promised goes first."""
        node, j, i, contrary = passage
        unit, bit = node * self.dim + i, 1 << i
        promised, self._promised[unit] = self._promised[unit], -1
        if promised < 0:
            super()._passed(passage)
            return
        output = node * self._outputs + promised
        self._taken[output] = self._taken[node * self._outputs + j] = False
        self._idle[node] |= bit
        self._room[unit] += 1
        self._contrary[unit] -= contrary
        self._turn[output] = -bit
        super()._try(node, promised)
        self._try(node, j)
        self._try(node ^ bit, i)


class _DetailedFixed(_Detailed, FixedPacket):
    """Fixed routing."""


class _DetailedQuasiAdaptive(_Detailed, QuasiAdaptive):
    """Quasi-adaptive routing."""


_CLASSES: dict[str, type[_Detailed]] = {"fixed-packet": _DetailedFixed, "quasi-adaptive": _DetailedQuasiAdaptive}
