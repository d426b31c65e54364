"""Driver of a node: splits messages into packets, and injects them from a send queue for each buffer slot."""

from __future__ import annotations

import dataclasses
from collections import deque
from collections.abc import Mapping, Sequence
from typing import Any

from cubecast.golden.packet.algorithms.routing import fixed_choice, quasi_adaptive_choice
from cubecast.golden.packet.contract.config import PacketConfig
from cubecast.tb.common.playback import pieces

__all__ = ["Driver", "Packet", "chunks"]


@dataclasses.dataclass(frozen=True, eq=False)
class Packet:
    """A packet in the send queues.

    Parameters
    ----------
    words : tuple of int
        What is injected: the destination, then data words.
    message : int
        Number of its message, in the order in which the run was given them.
    number, count : int
        Its place among the packets that go to this destination, and how many they are.
    slots : tuple of int, optional
        Slots that it is injected with, whatever comes of it; None: those in whose queues it is.
    raw : bool
        Whether its words were given as they are.
    """

    words: tuple[int, ...]
    message: int
    number: int = 0
    count: int = 1
    slots: tuple[int, ...] | None = None
    raw: bool = False


def chunks(config: PacketConfig, data: Sequence[int]) -> list[tuple[int, ...]]:
    """Return the data words of the packets of a message, the first of which begins with its length in words."""
    return pieces((len(data), *data), config.max_words - 1)


class Driver:
    """The processor of one node: takes messages when their cycle has come, and injects a packet at a time.

    Under quasi-adaptive routing a message goes into the shortest queue, in packets, of a fault-free dimension that
    leads closer, the lowest of equals; under fixed routing into that of the lowest dimension. A broadcast goes into all
    queues; its packets are injected into all slots that have come to them at once. The slots with room take turns.

    Parameters
    ----------
    config : PacketConfig
        Parameters of the network.
    node : int
        Address of the node.
    messages : sequence of (int, dict)
        Number of each of its messages, and "cycle", "kind", "destinations", "data" and "slots" of it.

    Source: Buzzard 1988, sections 5.1.1 (message send queues), 5.1.2 and 5.2.
    """

    def __init__(self, config: PacketConfig, node: int, messages: Sequence[tuple[int, Mapping[str, Any]]]) -> None:
        self.config, self.node = config, node
        self.waiting = deque(messages)
        self.queues: list[deque[Packet]] = [deque() for _ in range(config.dim)]
        self.packet: Packet | None = None
        self.mask = self.place = 0
        self.turn = 0

    @property
    def done(self) -> bool:
        """Whether everything has been injected."""
        return self.packet is None and not self.waiting and not any(self.queues)

    @property
    def resting(self) -> bool:
        """Whether nothing is to be injected before a later cycle."""
        return self.packet is None and not any(self.queues)

    def choose(self, destination: int, faulty: int) -> int:
        """Return the slot of a unicast to this destination."""
        config = self.config
        fixed = fixed_choice(self.node, destination, config.dim)
        if config.routing == "fixed":
            return fixed
        lengths = [len(queue) for queue in self.queues]
        found = quasi_adaptive_choice(self.node, destination, lengths, faulty)
        return fixed if found is None else found

    def take(self, cycle: int, faulty: int) -> None:
        """Put the messages whose cycle has come into the queues; ``faulty`` is the node's fault vector."""
        while self.waiting and self.waiting[0][1]["cycle"] <= cycle:
            number, message = self.waiting.popleft()
            if message["kind"] == "raw":
                self._raw(number, message, faulty)
            elif message["kind"] == "broadcast":
                self._put(number, message, self.node, self.queues)
            else:
                for destination in message["destinations"]:
                    self._put(number, message, destination, [self.queues[self.choose(destination, faulty)]])

    def _put(self, number: int, message: Mapping[str, Any], to: int, queues: Sequence[deque[Packet]]) -> None:
        """Put the packets of a message for one destination into some queues."""
        parts = chunks(self.config, message["data"])
        for place, data in enumerate(parts):
            packet = Packet((to, *data), number, place, len(parts))
            for queue in queues:
                queue.append(packet)

    def _raw(self, number: int, message: Mapping[str, Any], faulty: int) -> None:
        """Put a raw packet into the queue of its first slot, or where a well-formed one would be."""
        words, slots = tuple(message["data"]), message["slots"]
        destination = words[0] & self.config.nodes - 1
        if slots is None and destination != self.node:
            slots = [self.choose(destination, faulty)]
        if slots is None:
            packet = Packet(words, number, raw=True)
            for queue in self.queues:
                queue.append(packet)
        else:
            self.queues[min(slots, default=0)].append(Packet(words, number, slots=tuple(slots), raw=True))

    def offer(self, ready: int) -> tuple[int, int, int, int] | None:
        """Return valid, data, last and slots of the word offered, None if there is none.

        ``ready`` is the mask of the slots that had room in the cycle before.
        """
        if self.packet is None:
            self._next(ready)
        if self.packet is None:
            return None
        words = self.packet.words
        return 1, words[self.place], int(self.place == len(words) - 1), self.mask

    def _next(self, ready: int) -> None:
        """Take the next packet from the queues."""
        dims = self.config.dim
        for j in (*range(self.turn, dims), *range(self.turn)):
            queue = self.queues[j]
            if queue and (ready >> j & 1 or queue[0].slots is not None):
                self.packet = packet = queue[0]
                self.turn = (j + 1) % dims
                self.place = 0
                if packet.slots is not None:
                    queue.popleft()
                    self.mask = sum(1 << slot for slot in set(packet.slots))
                    return
                self.mask = 0
                for slot, other in enumerate(self.queues):
                    if other and other[0] is packet and ready >> slot & 1:
                        other.popleft()
                        self.mask |= 1 << slot
                return

    def moved(self, ready: int) -> bool:
        """Take note of the cycle's ``inject_ready``; return whether the word offered was taken."""
        if self.packet is None or (self.mask or 1) & ~ready:
            return False
        self.place += 1
        if self.place == len(self.packet.words):
            self.packet = None
        return True
