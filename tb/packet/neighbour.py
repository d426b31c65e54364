"""The far ends of a packet router's links, parallel and serial: they send packets of every kind, stall and refuse."""

from __future__ import annotations

from collections import deque
from collections.abc import Mapping
from random import Random

from cubecast.golden.packet.contract.config import PacketConfig
from cubecast.golden.packet.contract.packet import Head
from cubecast.tb.common.patterns import chance

__all__ = ["LinkPacket", "ParallelNeighbour", "SerialNeighbour", "expected_next", "link_packet", "serial_bits"]

LinkPacket = tuple[Head, list[int]]
"""A head and its words."""


def expected_next(config: PacketConfig, address: int, dimension: int, destination: int) -> int:
    """Return the next port of a head that arrives at a node over a dimension."""
    differs = address ^ destination
    if differs >> dimension & 1:
        return dimension + 1
    return (differs & -differs).bit_length() - 1 if differs else config.local


def link_packet(random: Random, config: PacketConfig, address: int, dimension: int, good: bool = True) -> LinkPacket:
    """Return a packet as a router sends it over a link, or (not ``good``) with one field wrong, perhaps."""
    destination = random.randrange(config.nodes)
    if not config.contrary and not (address ^ destination) >> dimension & 1:
        # Fixed routing alone: it has crossed all lower dimensions.
        lower = (1 << dimension) - 1
        destination = destination & ~lower | address & lower
    length = min(config.max_words, random.choice((1, 2, config.max_words, random.randint(1, config.max_words))))
    words = [random.getrandbits(config.width) for _ in range(length)]
    next_port = expected_next(config, address, dimension, destination)
    head = {
        # A hop that is not the fixed choice leaves a lower dimension to cross, and no other does.
        "contrary": int(next_port < dimension),
        "next_port": next_port,
        "length": length,
        "destination": destination,
    }
    if not good:
        name = random.choice(list(head))
        bits = {"contrary": 1, "next_port": 4, "length": config.length_bits, "destination": config.width}[name]
        head[name] = random.getrandbits(bits)
    return Head(**head), words


def serial_bits(config: PacketConfig, packet: LinkPacket) -> list[int]:
    """Return the bits of a packet on a serial line, from its start bit on."""
    head, words = packet
    values = [(head.encode(config), config.head_bits), *((word, config.width) for word in words)]
    return [bit for value, bits in values for bit in (1, 0, *(value >> place & 1 for place in range(bits)[::-1]))]


class Neighbour:
    """The far end of a link, which has a packet to send now and then.

    Parameters
    ----------
    random : Random
        The run's only source of randomness.
    config : PacketConfig
        Parameters of the router.
    address, dimension : int
        Of the router, and of the link to it.
    """

    def __init__(self, random: Random, config: PacketConfig, address: int, dimension: int) -> None:
        self.random, self.config, self.address, self.dimension = random, config, address, dimension
        self.packet: LinkPacket | None = None

    def pick(self, mood: Mapping[str, float]) -> LinkPacket:
        """Return the next packet."""
        good = not chance(self.random, mood["malformed"])
        self.packet = link_packet(self.random, self.config, self.address, self.dimension, good)
        return self.packet


class ParallelNeighbour(Neighbour):
    """Sends a head only when the router may get it, then the words without a gap; some moods it breaks the rules."""

    def __init__(self, random: Random, config: PacketConfig, address: int, dimension: int) -> None:
        super().__init__(random, config, address, dimension)
        self.words: deque[int] = deque()
        self.may = self.may_contrary = self.sent = False
        self.broke_off = False

    @property
    def inside(self) -> bool:
        """Whether a packet is on the link in part."""
        return bool(self.words)

    def next(self, outputs: Mapping[str, int], mood: Mapping[str, float]) -> dict[str, int]:
        """Return the router's inputs of the next cycle; ``outputs`` are those of the last one, if any."""
        random, into, out = self.random, f"link_in__{self.dimension}", f"link_out__{self.dimension}"
        if self.sent:
            # What was ready in the cycle of the head does not know of it yet.
            self.may = self.may_contrary = self.sent = False
        elif outputs.get(f"{into}__ready"):
            self.may = True
            self.may_contrary = self.may_contrary or not outputs[f"{into}__refusing"]
        valid, head, data = 0, chance(random, 0.5), random.getrandbits(self.config.head_bits)
        if self.words:
            if chance(random, mood["truncate"]):
                self.words.clear()
                self.broke_off = True
            else:
                valid, head, data = 1, 0, self.words.popleft()
        if not self.words and not valid and not self.broke_off:
            if self.packet is None and chance(random, mood["start"]):
                self.pick(mood)
            if self.packet is not None:
                allowed = self.may_contrary if self.packet[0].contrary else self.may
                if allowed or chance(random, mood["rude"]):
                    valid, head, data = 1, 1, self.packet[0].encode(self.config)
                    self.words.extend(self.packet[1])
                    self.packet, self.sent = None, True
        self.broke_off = False
        if not valid and chance(random, mood["rude"]):
            valid, head = 1, 0
        inputs = {f"{into}__valid": valid, f"{into}__head": head, f"{into}__data": data}
        inputs[f"{out}__ready"] = chance(random, mood["ready"])
        inputs[f"{out}__refusing"] = chance(random, mood["refuse"])
        return inputs


class SerialNeighbour(Neighbour):
    """Sends bits, and repeats the 1 of a start or sync pattern while the router holds; some moods it breaks off."""

    def __init__(self, random: Random, config: PacketConfig, address: int, dimension: int) -> None:
        super().__init__(random, config, address, dimension)
        self.bits: list[int] = []
        self.place = 0
        self.holding = 0
        self.idle = 0

    @property
    def inside(self) -> bool:
        """Whether a packet is on the line in part."""
        return bool(self.bits)

    def _step(self, hold: int, mood: Mapping[str, float]) -> None:
        """Go on to the bit of the next cycle."""
        config, head_bits, word_bits = self.config, self.config.head_bits + 2, self.config.width + 2
        if self.place < head_bits:
            first, sync = self.place == 0, False
        else:
            first, sync = False, (self.place - head_bits) % word_bits == 0
        if hold and (first or sync):
            return
        if hold and self.place == 2 + 5 + config.length_bits and self.packet is not None and self.packet[0].contrary:
            self.bits, self.idle = [], 1
            return
        self.place += 1
        if self.place == len(self.bits):
            self.bits, self.packet = [], None
        elif self.place >= head_bits and (self.place - head_bits) % word_bits == 0 and self._breaks(mood):
            # A 0 in place of the 1 of a sync pattern.
            self.bits, self.packet, self.idle = [], None, 1

    def _breaks(self, mood: Mapping[str, float]) -> int:
        """Return whether the packet ends here."""
        return chance(self.random, mood["truncate"])

    def next(self, outputs: Mapping[str, int], mood: Mapping[str, float]) -> dict[str, int]:
        """Return the router's inputs of the next cycle; ``outputs`` are those of the last one, if any."""
        random, into, out = self.random, f"link_in__{self.dimension}", f"link_out__{self.dimension}"
        if self.bits:
            self._step(outputs.get(f"{into}__hold", 0), mood)
        if not self.bits and not self.idle and chance(random, mood["start"]):
            self.bits, self.place = serial_bits(self.config, self.packet or self.pick(mood)), 0
        self.idle = 0
        line = self.bits[self.place] if self.bits else 0
        if chance(random, mood["rude"] * 0.05):
            line ^= 1
        # Now and then for long, as a full packet buffer unit does.
        self.holding = chance(random, 1 - mood["ready"])
        if outputs.get(f"{out}__line") and chance(random, mood["refuse"]):
            self.holding = 1
        return {f"{into}__line": line, f"{out}__hold": self.holding}
