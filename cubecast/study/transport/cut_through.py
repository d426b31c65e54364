"""Datagrams with cut-through: a message goes on at once over a link that is free, and is stored only otherwise."""

from __future__ import annotations

from cubecast.study.transport.event_queue import EventQueue
from cubecast.study.transport.machine import Machine
from cubecast.study.transport.streaming import Streaming
from cubecast.study.transport.traffic import Messages

__all__ = ["CutThrough"]


class CutThrough(Streaming):
    """Virtual cut-through, with buffers of any number and size.

    A head that finds no free link at a node has a buffer allocated there. The whole message is stored before it asks
    for a link again: there is no cut-through once a store has begun.

    Parameters
    ----------
    machine, messages, queue
        As in :class:`.transport.Transport`.

    Source
    ------
    Buzzard 1988, sections 4.2 and 4.4.2.
    """

    def __init__(self, machine: Machine, messages: Messages, queue: EventQueue) -> None:
        super().__init__(machine, messages, queue)
        self._allocate = machine.allocate

    def blocked(self, message: int) -> None:
        """Store the message."""
        self.store(self.node[message], message)
        end = self.queue.now + self._allocate + self.span[message]
        self.flow(message, end)
        self.queue.at(end, self._stored, message)

    def _stored(self, message: int) -> None:
        """Go on with a message that is stored completely."""
        self.keep(message)
        self.request(message)
