"""Packets between nodes without routers: they arrive whole, after any time, and overtake those of other slots."""

from collections import deque

from cubecast.golden.common.twins.ports import bits
from cubecast.golden.packet.contract.config import PORT_BITS
from cubecast.golden.packet.contract.packet import KIND_BITS, source_word

__all__ = ["IdealNetwork"]

PLACES = 2
"""Packets that a slot holds."""


class IdealNetwork:
    """Slots and input ports of all nodes; nothing is lost.

    Parameters
    ----------
    config : NodeConfig
        Parameters of the nodes.
    random : Random
        What is drawn from.
    pace : float
        Probability that the oldest packet of a slot arrives in a cycle.
    """

    def __init__(self, config, random, pace):
        self.config, self.random, self.pace = config, random, pace
        nodes = range(config.nodes)
        self.loading = [[] for _ in nodes]
        self.kinds = [None for _ in nodes]
        self.slots = [[deque() for _ in range(config.dim)] for _ in nodes]
        self.words = [deque() for _ in nodes]
        self.packets = 0

    def ready(self, node):
        """Return the mask of slots of a node that take a word."""
        return sum((len(slot) < PLACES) << dimension for dimension, slot in enumerate(self.slots[node]))

    def inject(self, node, data, last, slots, kind):
        """Take a word that all slots named take."""
        packet = self.loading[node]
        if not packet:
            away = data ^ node
            assert slots and data < self.config.nodes, f"node {node} sends to {data} by slots {slots:#b}"
            assert not away or (slots & away and slots.bit_count() == 1), f"{node} to {data} by slots {slots:#b}"
            self.kinds[node] = slots, kind
        assert self.kinds[node] == (slots, kind), f"node {node} changes its slots in a packet"
        packet.append(data)
        assert len(packet) <= self.config.router.max_words, f"node {node} sends a packet that is too long"
        if last:
            for slot in bits(slots):
                word = source_word(self.config.router, slot, node)
                word |= kind << self.config.width - PORT_BITS - KIND_BITS
                self.slots[node][slot].append([packet[0], word, *packet[1:]])
            self.loading[node] = []

    def eject(self, node):
        """Return the word that a node is shown: data and last; None: there is none."""
        return self.words[node][0] if self.words[node] else None

    def take(self, node):
        """Remove the word that a node is shown."""
        self.words[node].popleft()

    def edge(self):
        """Let packets arrive."""
        for node, slots in enumerate(self.slots):
            for dimension, slot in enumerate(slots):
                if slot and self.random.random() < self.pace:
                    self._arrive(node, dimension, slot.popleft())

    def _arrive(self, node, dimension, packet):
        """Bring a packet to its destination, or to all that a broadcast reaches by this dimension."""
        everyone = range(self.config.nodes)
        away = 1 << dimension
        nodes = [other for other in everyone if (other ^ node) & -(other ^ node) == away]
        for other in nodes if packet[0] == node else [packet[0]]:
            self.packets += 1
            self.words[other] += [(word, int(place == len(packet) - 1)) for place, word in enumerate(packet)]

    @property
    def empty(self):
        """Whether nothing is on its way."""
        return not (any(self.loading) or any(self.words) or any(slot for slots in self.slots for slot in slots))
