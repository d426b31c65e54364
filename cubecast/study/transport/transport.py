"""What every transport has: the messages, the queue of events, and what is recorded."""

from __future__ import annotations

from abc import ABC, abstractmethod

from cubecast.study.transport.event_queue import EventQueue
from cubecast.study.transport.machine import Machine
from cubecast.study.transport.traffic import Messages

__all__ = ["MessageTransport", "Transport", "link_table"]


class Transport(ABC):
    """A way to bring messages to their destinations; messages are known by their numbers.

    ``first`` and ``last`` are the ticks at which the first part and the last byte of each message arrived, -1 before.

    Parameters
    ----------
    machine : Machine
        Parameters.
    messages : Messages
        What is to be sent.
    queue : EventQueue
        Where it schedules what it does later.
    """

    def __init__(self, machine: Machine, messages: Messages, queue: EventQueue) -> None:
        self.queue = queue
        self.dim = messages.dim
        self.byte = machine.byte
        self.setup = machine.setup
        self.source: list[int] = messages.source.tolist()
        self.destination: list[int] = messages.destination.tolist()
        self.length: list[int] = messages.length.tolist()
        self.first = [-1] * len(self.source)
        self.last = [-1] * len(self.source)
        self.link_ticks = 0
        self.most_buffered = 0

    @abstractmethod
    def start(self, message: int) -> None:
        """Take a message that its source has generated."""

    @abstractmethod
    def busy(self) -> list[str]:
        """Return names of resources that are in use, or waited for."""


class MessageTransport(Transport):
    """Transport of whole messages, each with a head that goes from node to node.

    Fixed routing takes the lowest dimension in which node and destination differ.

    Parameters
    ----------
    machine, messages, queue
        As in :class:`Transport`.

    Source
    ------
    Buzzard 1988, section 4.3.1 (routing).
    """

    def __init__(self, machine: Machine, messages: Messages, queue: EventQueue) -> None:
        super().__init__(machine, messages, queue)
        self.adaptive = machine.adaptive
        self.table = link_table(self.dim, machine.bidirectional)
        self.node = self.source[:]
        """Node at which the head of each message is."""
        self.span = [self.byte * length for length in self.length]
        """Ticks that each message needs to cross a link."""
        self._rest = [self.byte * max(length - machine.packet, 0) for length in self.length]

    def deliver(self, message: int, end: int) -> None:
        """Record that the last byte of a message arrives at tick ``end``."""
        self.last[message] = end
        self.first[message] = end - self._rest[message]


def link_table(dim: int, bidirectional: bool) -> list[list[int]]:
    """Return the number of the link that leaves each node in each dimension.

    It is node * dim + dimension; where a link's two directions are one resource, that of its lower node.
    """
    lowest = [0 if bidirectional else 1 << j for j in range(dim)]
    return [[(node & ~lowest[j]) * dim + j for j in range(dim)] for node in range(1 << dim)]
