"""Packets of a node, of every kind, and the driver that loads them into the buffer slots of its output port."""

from __future__ import annotations

from collections import deque
from random import Random
from typing import NamedTuple

from cubecast.golden.packet.contract.config import PacketConfig
from cubecast.golden.packet.contract.reason import PacketReason
from cubecast.tb.common.patterns import chance

__all__ = ["KINDS", "MALFORMED", "Injector", "Packet", "make", "useful"]

MALFORMED = ("no_slot", "far_slot", "several_slots", "address_bits", "data_too_long", "long_broadcast")
"""Kinds of packets that are refused at their source."""

KINDS = ("unicast", "unicast", "broadcast", "some_slots", *MALFORMED)
"""Kinds of packets."""


class Packet(NamedTuple):
    """A packet as a node hands it over: ``inject__slots``, and the words (destination, data ...)."""

    slots: int
    words: tuple[int, ...]

    @property
    def destination(self) -> int:
        """The first word."""
        return self.words[0]

    @property
    def data(self) -> tuple[int, ...]:
        """The words that reach the destination behind the source word."""
        return self.words[1:]

    @property
    def taken_by(self) -> int:
        """Mask of the slots that load it."""
        return self.slots or 1

    def reason(self, config: PacketConfig, address: int) -> PacketReason | None:
        """Return why it is refused at node ``address``, if it is."""
        if not self.slots:
            return PacketReason.BAD_SLOT
        if self.destination >> config.dim:
            return PacketReason.ADDRESS_BITS
        if self.destination != address and self.slots not in useful(config, address, self.destination):
            return PacketReason.BAD_SLOT
        return PacketReason.DATA_TOO_LONG if len(self.words) > config.max_words else None


def useful(config: PacketConfig, address: int, destination: int) -> list[int]:
    """Return the masks of the slots, one bit each, that a unicast may be loaded into."""
    differ = address ^ destination
    if config.routing == "fixed":
        return [differ & -differ]
    return [1 << j for j in range(config.dim) if differ >> j & 1]


def make(random: Random, config: PacketConfig, address: int, kind: str) -> Packet:
    """Return a packet of one of :data:`KINDS` from node ``address``."""
    n, every = config.dim, (1 << config.dim) - 1
    other = address ^ random.randint(1, every)
    length = random.choice((1, 2, config.max_words, random.randint(1, config.max_words)))
    data = [random.getrandbits(config.width) for _ in range(min(length, config.max_words) - 1)]
    slots, destination = random.choice(useful(config, address, other)), other
    if kind == "no_slot":
        slots, destination = 0, random.choice((address, other))
    elif kind == "far_slot":
        slots = random.choice([1 << j for j in range(n) if 1 << j not in useful(config, address, other)] or [0])
    elif kind == "several_slots":
        slots = random.choice([mask for mask in range(every + 1) if mask & mask - 1])
    elif kind == "address_bits":
        destination |= 1 << random.randrange(n, config.width)
        slots = random.choice((slots, slots, every))
    elif kind in ("data_too_long", "long_broadcast"):
        data += [random.getrandbits(config.width) for _ in range(config.max_words - len(data) + random.choice((0, 1)))]
    if kind in ("broadcast", "some_slots", "long_broadcast"):
        destination = address
        slots = every if kind == "broadcast" else random.randint(1, every)
    return Packet(slots, (destination, *data))


class Injector:
    """Load packets: one word per cycle, words of packets for different slots mixed, each slot's packets in order.

    A packet for several slots waits until none of the packets loaded is incomplete, and then goes as a whole.
    ``begun`` holds the packet whose first word was taken in the cycle before, if any.

    Parameters
    ----------
    random : Random
        The run's only source of randomness.
    config : PacketConfig
        Number of slots.
    """

    def __init__(self, random: Random, config: PacketConfig) -> None:
        self.random, self.config = random, config
        self.queues: list[deque[Packet]] = [deque() for _ in range(config.dim + 1)]
        self.at = [0] * (config.dim + 1)
        self.offer: int | None = None
        self.barrier = False
        self.begun: list[Packet] = []

    @property
    def waiting(self) -> int:
        """Number of packets that are not loaded completely."""
        return sum(map(len, self.queues))

    @property
    def mixed(self) -> int:
        """Number of packets that are loaded in part."""
        return sum(place > 0 for place in self.at)

    def send(self, packet: Packet) -> None:
        """Append a packet to the queue of its slot, or of those for several."""
        slots = packet.taken_by
        self.queues[self.config.dim if slots & slots - 1 else slots.bit_length() - 1].append(packet)

    def shortest(self, masks: list[int]) -> int:
        """Return the one of these slots (masks of one bit) with the shortest queue."""
        return min(masks, key=lambda mask: len(self.queues[mask.bit_length() - 1]))

    def next(self, ready: int, mood: dict[str, float]) -> tuple[int, int, int, int]:
        """Return valid, data, last and slots of the next cycle.

        Parameters
        ----------
        ready : int
            The slots that were ready in the cycle before.
        mood : dict
            Probabilities ``gap``, ``polite`` (offer only to slots that were ready) and ``fickle`` (offer another word).
        """
        random, n = self.random, self.config.dim
        self.begun = []
        if self.offer is not None:
            queue = self.queues[self.offer]
            if not queue[0].taken_by & ~ready:
                if not self.at[self.offer]:
                    self.begun = [queue[0]]
                self.at[self.offer] += 1
                if self.at[self.offer] == len(queue[0].words):
                    queue.popleft()
                    self.at[self.offer] = 0
                    self.barrier = self.barrier and self.offer != n
                self.offer = None
            elif chance(random, mood["fickle"]):
                self.offer = None
        if self.offer is None:
            self.offer = self._choose(ready, mood)
        if self.offer is None:
            return 0, random.getrandbits(self.config.width), chance(random, 0.5), random.getrandbits(n)
        packet = self.queues[self.offer][0]
        place = self.at[self.offer]
        return 1, packet.words[place], int(place == len(packet.words) - 1), packet.slots

    def _choose(self, ready: int, mood: dict[str, float]) -> int | None:
        """Return the queue whose next word is offered."""
        random, n = self.random, self.config.dim
        if chance(random, mood["gap"]):
            return None
        if self.at[n]:
            return n
        if self.queues[n] and (chance(random, 0.2) or not any(self.queues[:n])):
            self.barrier = True
        if self.barrier and not any(self.at):
            return n
        found = [j for j in range(n) if self.queues[j] and (self.at[j] or not self.barrier)]
        if chance(random, mood["polite"]):
            found = [j for j in found if ready >> j & 1]
        return random.choice(found) if found else None
