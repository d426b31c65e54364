"""Packet transport: messages go as packets, which take turns on the links and wait in packet buffer units."""

from __future__ import annotations

from abc import abstractmethod
from collections import deque

from cubecast.study.transport.event_queue import EventQueue
from cubecast.study.transport.machine import HEADER, Machine
from cubecast.study.transport.traffic import Messages
from cubecast.study.transport.transport import Transport

__all__ = ["FixedPacket", "PacketTransport", "QuasiAdaptive"]

Packet = tuple[int, int, bool, bool]
"""Message, ticks to cross a link, whether it is the message's first packet, and its last."""

Arrival = tuple[int, int, Packet, bool]
"""Node, dimension of its unit, packet, whether it is contrary there."""

Passage = tuple[int, int, int, bool]
"""Node, output, dimension of the unit that a packet leaves, whether it was contrary there."""


class PacketTransport(Transport):
    """Packets that cut through, from link to link.

    Every node has a slot for each dimension, which offers the packets of one message after the other; a packet buffer
    unit for each dimension, of ``machine.packets`` packets; and an output for each dimension and for the node itself.
    An arbitration of ``setup`` ticks for its output begins when a packet's head has come to a unit, or a message to its
    slot. After that the packet goes as soon as the output is free, its unit sends no other packet
    and the unit behind the link has a free buffer. So arbitrations go on while the packets before are still passing,
    and packets that wait follow each other without a gap. A passage takes output, unit and a buffer of the next unit at
    its beginning; when the last byte has left, all but the latter are free again, and so is the buffer it was in. An
    output goes round the units, and its slot, that have a packet for it; a unit that may choose sends the packet that
    came first.

    Parameters
    ----------
    machine, messages, queue
        As in :class:`.transport.Transport`.

    Source
    ------
    Buzzard 1988, sections 5.1 to 5.4 and 5.7.
    """

    def __init__(self, machine: Machine, messages: Messages, queue: EventQueue) -> None:
        super().__init__(machine, messages, queue)
        dim, nodes = self.dim, 1 << self.dim
        self._payload = machine.packet - HEADER
        self._packets = machine.packets
        self._head = machine.head
        self._outputs = dim + 1
        self._exclusive = [True] * dim + [machine.delivery == "port"]
        outputs, units = nodes * self._outputs, nodes * dim
        self._taken = [False] * outputs
        # Who has a packet for each output: a bit for each unit of the node, and bit dim for the slot.
        self._asking = [0] * outputs
        self._turn = [0] * outputs
        """Bits of those that are later in turn than the one that the output took last."""
        self._waiting: list[deque[tuple[int, Packet, bool]]] = [deque() for _ in range(units * self._outputs)]
        # Outputs that each unit has packets for.
        self._wanted = [0] * units
        # Units that send nothing, and the slots, of each node.
        self._idle = [(2 << dim) - 1] * nodes
        self._room = [self._packets] * units
        self._contrary = [0] * units
        self._queued: list[deque[int]] = [deque() for _ in range(units)]
        self._left = self.length[:]
        self._time: list[int] = messages.time.tolist()

    @abstractmethod
    def slot(self, node: int, useful: int, queued: list[int]) -> int:
        """Return the dimension of a message's first hop, of the mask ``useful``.

        ``queued`` is the number of messages of each slot of the source, the one being sent among them.
        """

    def start(self, message: int) -> None:
        """Put a message into the queue of a slot."""
        node = self.source[message]
        queues = self._queued[node * self.dim : (node + 1) * self.dim]
        j = self.slot(node, node ^ self.destination[message], [len(queue) for queue in queues])
        queues[j].append(message)
        if len(queues[j]) == 1:
            self.queue.at(self.queue.now + self.setup, self._offer, (node, j))

    def busy(self) -> list[str]:
        """Return names of resources that are in use, or waited for."""
        return [
            *(f"output {output}" for output, taken in enumerate(self._taken) if taken),
            *(f"request for output {output}" for output, asking in enumerate(self._asking) if asking),
            *(f"unit {unit}" for unit, room in enumerate(self._room) if room != self._packets),
            *(f"contrary packets of unit {unit}" for unit, contrary in enumerate(self._contrary) if contrary),
            *(f"queue of slot {slot}" for slot, queue in enumerate(self._queued) if queue),
            *(f"senders of node {node}" for node, idle in enumerate(self._idle) if idle != (2 << self.dim) - 1),
        ]

    def _offer(self, slot: tuple[int, int]) -> None:
        """Have the first packet of a slot ask for its output."""
        node, j = slot
        self._asking[node * self._outputs + j] |= 1 << self.dim
        self._try(node, j)

    def _try(self, node: int, j: int) -> None:
        """Let a packet pass through output ``j`` of a node, if there is one that may."""
        dim = self.dim
        output = node * self._outputs + j
        able = self._asking[output] & self._idle[node]
        if not able or self._taken[output]:
            return
        slot = 1 << dim
        contrary = False
        if j != dim:
            behind = (node ^ 1 << j) * dim + j
            room = self._room[behind]
            if not room:
                return
            if able & slot:
                message = self._queued[node * dim + j][0]
                contrary = (node ^ self.destination[message]) & (1 << j) - 1 != 0
                if contrary and self.refuses(behind):
                    able ^= slot
                    if not able:
                        return
        later = able & self._turn[output]
        chosen = later & -later if later else able & -able
        self._turn[output] = -chosen << 1
        now = self.queue.now
        if chosen == slot:
            packet = self._load(message)
            self._asking[output] ^= slot
            self._taken[output] = True
            self.queue.at(now + packet[1], self._sent, (node, j, packet))
        else:
            i = chosen.bit_length() - 1
            unit = node * dim + i
            waiting = self._waiting[unit * self._outputs + j]
            _, packet, was_contrary = waiting.popleft()
            if not waiting:
                self._asking[output] ^= chosen
                self._wanted[unit] ^= 1 << j
            self._idle[node] ^= chosen
            self._taken[output] = self._exclusive[j]
            if j == dim:
                end = now + packet[1] - self._head
                self.queue.at(end, self._passed, (node, j, i, was_contrary))
                if packet[2] or packet[3]:
                    self.queue.at(end, self._deliver, packet)
                return
            self.queue.at(now + packet[1], self._passed, (node, j, i, was_contrary))
            contrary = False
        self._room[behind] = room - 1
        if contrary:
            self._contrary[behind] += 1
        self.link_ticks += packet[1]
        self.queue.at(now + self._head + self.setup, self._ask, (node ^ 1 << j, j, packet, contrary))

    def refuses(self, unit: int) -> bool:
        """Return whether a unit with a free buffer takes no contrary packet: it is the last, all others hold such."""
        return self._contrary[unit] == self._packets - 1

    def _load(self, message: int) -> Packet:
        """Return the next packet of a message."""
        left = self._left[message]
        data = min(left, self._payload)
        self._left[message] = left - data
        return message, (data + HEADER) * self.byte, left == self.length[message], left == data

    def _ask(self, arrival: Arrival) -> None:
        """End the arbitration of a packet whose head is in a unit."""
        node, i, packet, contrary = arrival
        useful = node ^ self.destination[packet[0]]
        j = (useful & -useful).bit_length() - 1 if useful else self.dim
        unit = node * self.dim + i
        self._waiting[unit * self._outputs + j].append((self.queue.now, packet, contrary))
        self._wanted[unit] |= 1 << j
        self._asking[node * self._outputs + j] |= 1 << i
        self._try(node, j)

    def _sent(self, sending: tuple[int, int, Packet]) -> None:
        """End a packet of a slot; unless the next one came just now, it has had its arbitration already."""
        node, j, packet = sending
        self._taken[node * self._outputs + j] = False
        queue = self._queued[node * self.dim + j]
        if packet[3]:
            queue.popleft()
        if queue:
            ready = self._time[queue[0]] + self.setup
            if ready <= self.queue.now:
                self._asking[node * self._outputs + j] |= 1 << self.dim
            else:
                self.queue.at(ready, self._offer, (node, j))
        self._try(node, j)

    def _passed(self, passage: Passage) -> None:
        """End the passage of a packet out of a unit."""
        node, j, i, contrary = passage
        bit = 1 << i
        self._taken[node * self._outputs + j] = False
        self._idle[node] |= bit
        unit = node * self.dim + i
        self._room[unit] += 1
        if contrary:
            self._contrary[unit] -= 1
        self._try(node, j)
        wanted = self._wanted[unit] & ~(1 << j)
        if wanted and self._idle[node] & bit:
            self._choose(node, i, wanted)
        # Nothing else can have been waiting for this buffer.
        if contrary or self._room[unit] == 1:
            self._try(node ^ bit, i)

    def _choose(self, node: int, i: int, wanted: int) -> None:
        """Try the outputs ``wanted`` by a unit that is idle, that of the packet that came first before the others."""
        first = (node * self.dim + i) * self._outputs
        outputs = [k for k in range(self._outputs) if wanted >> k & 1]
        if len(outputs) > 1:
            outputs.sort(key=lambda k: self._waiting[first + k][0][0])
        for k in outputs:
            self._try(node, k)

    def _deliver(self, packet: Packet) -> None:
        """Record that the last byte of a message's first or last packet is in the node."""
        message, _, first, last = packet
        if first:
            self.first[message] = self.queue.now
        if last:
            self.last[message] = self.queue.now


class FixedPacket(PacketTransport):
    """Packets whose every hop is in the lowest differing dimension.

    Source
    ------
    Buzzard 1988, sections 5.2 and 5.7.
    """

    def slot(self, node: int, useful: int, queued: list[int]) -> int:
        """Return the lowest useful dimension."""
        return (useful & -useful).bit_length() - 1


class QuasiAdaptive(PacketTransport):
    """Packets whose first hop is in the useful dimension with the shortest queue, the lowest of equals.

    All packets of a message make the same first hop, and go on in the lowest differing dimension. A first hop that is
    not the lowest useful dimension makes a packet contrary until it leaves the unit behind it.

    Source
    ------
    Buzzard 1988, sections 5.2 and 5.3.
    """

    def slot(self, node: int, useful: int, queued: list[int]) -> int:
        """Return the useful dimension with the shortest queue."""
        return min((j for j in range(self.dim) if useful >> j & 1), key=queued.__getitem__)
