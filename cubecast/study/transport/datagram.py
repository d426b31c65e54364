"""Datagrams: the whole message is stored at every node on its way."""

from __future__ import annotations

from cubecast.study.transport.event_queue import EventQueue
from cubecast.study.transport.links import LinkTransport
from cubecast.study.transport.machine import Machine
from cubecast.study.transport.traffic import Messages

__all__ = ["Datagram"]


class Datagram(LinkTransport):
    """Store and forward, with buffers of any number and size.

    A hop holds its link while the link is set up, a buffer is allocated at the next node, unless that is the
    destination, and all bytes cross. A buffer counts from when its message is given the link to it until the message's
    last byte has left it again.

    Parameters
    ----------
    machine, messages, queue
        As in :class:`.transport.Transport`.

    Source
    ------
    Buzzard 1988, sections 4.2 and 4.4.1.
    """

    def __init__(self, machine: Machine, messages: Messages, queue: EventQueue) -> None:
        super().__init__(machine, messages, queue)
        self.allocate = machine.allocate

    def advance(self, message: int, bit: int, link: int) -> None:
        """Send the whole message over a link."""
        next_node = self.node[message] ^ bit
        ticks = self.setup + self.span[message]
        if next_node != self.destination[message]:
            ticks += self.allocate
            self.store(next_node, message)
        self.link_ticks += ticks
        self.queue.at(self.queue.now + ticks, self._arrive, (message, bit, link))

    def _arrive(self, hop: tuple[int, int, int]) -> None:
        """End a hop: the last byte is at the next node."""
        message, bit, link = hop
        node = self.node[message]
        if node != self.source[message]:
            self.stored[node] -= self.length[message]
        self.node[message] = node ^ bit
        self.release(link)
        if node ^ bit == self.destination[message]:
            self.deliver(message, self.queue.now)
        else:
            self.request(message)
