"""Packets between nodes without routers: they arrive whole, after any time, and overtake those of other slots."""

from collections import deque

from cubecast.golden.common.twins.ports import bits, split
from cubecast.golden.node.contract.packet import CONTROL, ENVELOPE, OP_BITS, Kind, Op, pack
from cubecast.golden.node.twins.node_network import Node, NodeNetwork
from cubecast.golden.packet.contract.packet import source_word

__all__ = ["IdealNetwork", "IdealRouter", "between"]

PLACES = 2
"""Packets that a slot holds."""


class IdealRouter:
    """Slots and input port of a node.

    Parameters
    ----------
    config : PacketConfig
        Parameters of a router.
    address : int
        Address of the node.
    """

    def __init__(self, config, address):
        self.config, self.address = config, address
        self.reset()

    def reset(self):
        """Drop all packets."""
        self.loading, self.named, self.report = [], None, None
        self.slots = [deque() for _ in range(self.config.dim)]
        self.words = deque()

    @property
    def inject_ready(self):
        """Mask of the slots that take a word."""
        return sum((len(slot) < PLACES) << dimension for dimension, slot in enumerate(self.slots))

    @property
    def ejected(self):
        """The word that the node is shown: data, last, error."""
        return self.words[0] if self.words else None

    def inject(self, data, last, slots, kind):
        """Take a word if all slots named take it."""
        if slots & ~self.inject_ready:
            return
        if not self.loading:
            away = data ^ self.address
            legal = slots and (not away or (slots & away and slots.bit_count() == 1))
            assert legal and data < self.config.nodes, f"node {self.address} sends to {data} by slots {slots:#b}"
            self.named = slots, kind
        assert self.named == (slots, kind), f"node {self.address} changes slots or kind within a packet"
        self.loading.append(data)
        assert len(self.loading) <= self.config.max_words, f"node {self.address} sends a packet that is too long"
        if last:
            to, *words = self.loading
            for slot in bits(slots):
                self.slots[slot].append([to, source_word(self.config, slot, self.address, kind), *words])
            self.loading = []

    @property
    def empty(self):
        """Whether there is no packet, and no part of one."""
        return not (self.loading or self.words or any(self.slots))


class IdealNetwork:
    """Slots and input ports of all nodes, with the ports of a network of routers; registers read 0.

    Parameters
    ----------
    config : NodeConfig
        Parameters of the nodes.
    random : Random
        What is drawn from.
    pace : float
        Probability that the oldest packet of a slot arrives in a cycle.
    stray : float
        Probability that a packet comes that nobody has sent, or that is cut short.
    """

    def __init__(self, config, random, pace=0.1, stray=0.0):
        self.config, self.random, self.pace, self.stray = config, random, pace, stray
        self.routers = [IdealRouter(config.router, node) for node in range(config.nodes)]
        self.widths = {"data": config.width, "last": 1, "slots": config.dim, "kind": 2}

    def quiet(self):
        """Return whether nothing is on its way."""
        return all(router.empty for router in self.routers)

    def step(self, inputs):
        """Return the outputs of a cycle that are not the local ports', and take its edge."""
        nodes, outputs = self.config.nodes, {"control_read_data": 0, "multiple_faults": 0, "report_valid": 0}
        if inputs.get("rst"):
            for router in self.routers:
                router.reset()
            return outputs
        fields = [split(inputs[f"inject_{name}"], width, nodes) for name, width in self.widths.items()]
        for node, router in enumerate(self.routers):
            if router.words and inputs["eject_ready"] >> node & 1:
                router.words.popleft()
            if inputs["inject_valid"] >> node & 1:
                router.inject(*(field[node] for field in fields))
        for node, router in enumerate(self.routers):
            for dimension, slot in enumerate(router.slots):
                if slot and self.random.random() < self.pace:
                    self._arrive(node, dimension, slot.popleft())
            if self.stray and self.random.random() < self.stray:
                self._bring(node, self._strange(node))
        return outputs

    def _arrive(self, node, dimension, packet):
        """Bring a packet to its destination, or to all that a broadcast reaches by this dimension."""
        everyone = range(self.config.nodes)
        reached = [other for other in everyone if (other ^ node) & -(other ^ node) == 1 << dimension]
        for other in reached if packet[0] == node else [packet[0]]:
            if self.stray and self.random.random() < 10 * self.stray:
                # It was cut short on its way, and its last word is no word of it; or it was lost.
                cut = self.random.randint(0, len(packet))
                self._bring(other, packet[:cut], error=1)
            else:
                self._bring(other, packet)

    def _bring(self, node, packet, error=0):
        """Let a packet come out at a node."""
        last = len(packet) - 1
        self.routers[node].words += [(word, int(at == last), error * (at == last)) for at, word in enumerate(packet)]

    def _strange(self, node):
        """Return a packet that nobody has sent, to a node: an answer, a message, or the end of one."""
        random, config = self.random, self.config
        source = random.choice([other for other in range(config.nodes) if other != node])
        b, kind = random.getrandbits(1), random.choice(tuple(Kind))
        count = random.randint(0, config.router.max_words - 1)
        words = [random.getrandbits(config.width) for _ in range(count)]
        if kind == Kind.CONTROL and random.random() < 0.8:
            op = random.choice((Op.ACCEPT, Op.DONE, Op.POSTPONE, Op.REWIND, random.getrandbits(OP_BITS)))
            ticket = random.choice((0, 1, 2, random.getrandbits(5)))
            fields = {name: random.getrandbits(1) for name in ("b", "stop", "damaged")}
            words = [pack(CONTROL, op=int(op), ticket=ticket, **fields)]
        elif kind == Kind.FIRST and random.random() < 0.8:
            values = {field.name.lower(): random.getrandbits(field.width) for field in ENVELOPE}
            values |= {"type": random.choice((0, 1, 0x8000)), "length": random.choice((0, 1, 30, 200))}
            prefix = pack(ENVELOPE, **values)
            head = [prefix >> config.width * place & (1 << config.width) - 1 for place in range(config.prefix_words)]
            words = (head + words)[: config.router.max_words - 1]
        return [source if b else node, source_word(config.router, 0, source, kind), *words]


def between(config, packets):
    """Return a network of golden node interfaces around a network of packets."""
    network = NodeNetwork(config)
    network.packets = packets
    network.nodes = [Node(router, node.interface) for router, node in zip(packets.routers, network.nodes, strict=True)]
    return network
