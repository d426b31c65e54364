"""Messages that stream: the data follow the head over several links, each held until the last byte has passed it."""

from __future__ import annotations

from abc import abstractmethod

from cubecast.study.transport.event_queue import EventQueue
from cubecast.study.transport.links import LinkTransport
from cubecast.study.transport.machine import Machine
from cubecast.study.transport.traffic import Messages

__all__ = ["Streaming"]


class Streaming(LinkTransport):
    """Transport whose data follow the head directly.

    Nothing but the head needs time of its own, ``setup`` per link, so that the last byte passes each link ``setup``
    ticks before the link after it. While the head waits, the data behind it wait too, on the links.

    Parameters
    ----------
    machine, messages, queue
        As in :class:`.transport.Transport`.

    Source
    ------
    Buzzard 1988, sections 4.2 (cut-through) and 4.3.3 (wormhole).
    """

    def __init__(self, machine: Machine, messages: Messages, queue: EventQueue) -> None:
        super().__init__(machine, messages, queue)
        # Links of the stretch from where the message was last stored, and how many of them the tail has passed.
        self._stretch: list[list[int]] = [[] for _ in self.source]
        self._passed = [0] * len(self.source)
        self._taken = [0] * len(self.held)
        # Node that stores the message until the tail has passed the first link of the stretch, -1 for the source.
        self._store = [-1] * len(self.source)

    @abstractmethod
    def blocked(self, message: int) -> None:
        """Do what is to be done when the head is at a node where no link that it may take is free."""

    def advance(self, message: int, bit: int, link: int) -> None:
        """Send the head over a link."""
        now, stretch, setup = self.queue.now, self._stretch[message], self.setup
        self._taken[link] = now
        self.node[message] ^= bit
        stretch.append(link)
        # The tail of a short message passes links while the head goes on.
        hops, span = len(stretch), self.span[message]
        while span <= (ahead := hops - 1 - self._passed[message]) * setup:
            self._let_pass(message, now + setup + span - ahead * setup)
        self.queue.at(now + setup, self._head, message)

    def flow(self, message: int, end: int) -> None:
        """Let all bytes arrive where the head is, the last one at tick ``end``."""
        links, setup = len(self._stretch[message]), self.setup
        while (passed := self._passed[message]) < links:
            self._let_pass(message, end - (links - passed - 1) * setup)

    def keep(self, message: int) -> None:
        """Begin a new stretch at a node that has stored the message."""
        self._stretch[message].clear()
        self._passed[message] = 0
        self._store[message] = self.node[message]

    def _head(self, message: int) -> None:
        """Have the head at a node."""
        if self.node[message] == self.destination[message]:
            end = self.queue.now + self.span[message]
            self.flow(message, end)
            self.deliver(message, end)
        elif not self.take_free(message):
            self.blocked(message)

    def _let_pass(self, message: int, time: int) -> None:
        """Have the tail pass the next link of the stretch at tick ``time``."""
        passed = self._passed[message]
        self._passed[message] = passed + 1
        link = self._stretch[message][passed]
        self.link_ticks += time - self._taken[link]
        if passed == 0 and self._store[message] >= 0:
            self.queue.at(time, self._empty, (self._store[message], self.length[message]))
        self.queue.at(time, self.release, link)

    def _empty(self, buffer: tuple[int, int]) -> None:
        """Free a buffer: its node, and the bytes in it."""
        node, length = buffer
        self.stored[node] -= length
