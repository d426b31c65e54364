"""Transports whose messages take link after link: routing, and queues that are first come, first served."""

from __future__ import annotations

from abc import abstractmethod
from collections import deque

from cubecast.study.transport.event_queue import EventQueue
from cubecast.study.transport.machine import Machine
from cubecast.study.transport.traffic import Messages
from cubecast.study.transport.transport import MessageTransport

__all__ = ["LinkTransport"]


class LinkTransport(MessageTransport):
    """Transport whose messages take link after link; what cannot have one waits in the link's queue.

    Fixed routing takes the lowest dimension in which node and destination differ. Adaptive routing takes the lowest
    such dimension whose link is free; if none is, the message waits in the queues of all of them, and gets the first.

    Parameters
    ----------
    machine, messages, queue
        As in :class:`.transport.Transport`.

    Source
    ------
    Buzzard 1988, sections 4.2 and 4.3.1.
    """

    def __init__(self, machine: Machine, messages: Messages, queue: EventQueue) -> None:
        super().__init__(machine, messages, queue)
        links = self.dim << self.dim
        self.held = [0] * links
        self.waiting: list[deque[tuple[int, int]]] = [deque() for _ in range(links)]
        # Counts the links a message has been given: an entry of a queue is void once its message has got another.
        self.given = [0] * len(self.source)
        self.stored = [0] * (1 << self.dim)
        """Bytes of messages on their way that each node stores."""

    @abstractmethod
    def advance(self, message: int, bit: int, link: int) -> None:
        """Let a message use a link that it was just given, in the dimension of ``bit``."""

    def start(self, message: int) -> None:
        """Take a message that its source has generated."""
        self.request(message)

    def take_free(self, message: int) -> bool:
        """Give a message a link that is free, and return whether there was one."""
        node = self.node[message]
        links, held = self.table[node], self.held
        useful = node ^ self.destination[message]
        if not self.adaptive:
            useful &= -useful
        while useful:
            bit = useful & -useful
            link = links[bit.bit_length() - 1]
            if not held[link]:
                held[link] = 1
                self.given[message] += 1
                self.advance(message, bit, link)
                return True
            useful ^= bit
        return False

    def request(self, message: int) -> None:
        """Give a message a free link, or let it wait."""
        if self.take_free(message):
            return
        node = self.node[message]
        links, waiting = self.table[node], self.waiting
        entry = message, self.given[message]
        useful = node ^ self.destination[message]
        if not self.adaptive:
            useful &= -useful
        while useful:
            bit = useful & -useful
            waiting[links[bit.bit_length() - 1]].append(entry)
            useful ^= bit

    def release(self, link: int) -> None:
        """Give a link back, to the first message that still waits for it."""
        waiting, given = self.waiting[link], self.given
        while waiting:
            message, ticket = waiting.popleft()
            if given[message] == ticket:
                given[message] += 1
                self.advance(message, 1 << link % self.dim, link)
                return
        self.held[link] = 0

    def store(self, node: int, message: int) -> None:
        """Store a message in a node."""
        self.stored[node] = level = self.stored[node] + self.length[message]
        if level > self.most_buffered:
            self.most_buffered = level

    def busy(self) -> list[str]:
        """Return names of resources that are in use, or waited for."""
        given = self.given
        return [
            *(f"link {link}" for link, held in enumerate(self.held) if held),
            *(f"buffer of node {node}" for node, level in enumerate(self.stored) if level),
            *(
                f"queue of link {link}"
                for link, waiting in enumerate(self.waiting)
                if any(given[message] == ticket for message, ticket in waiting)
            ),
        ]
