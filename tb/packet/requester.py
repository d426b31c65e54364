"""What requests outputs of the crossbar: takes a grant, then sends a packet, with pauses, and may have to repeat it."""

from __future__ import annotations

from random import Random

from cubecast.golden.packet.contract.config import PacketConfig
from cubecast.golden.packet.contract.packet import Head
from cubecast.tb.common.patterns import chance

__all__ = ["FLIT", "Requester"]

FLIT = ("head", "last", "bad", "data")
"""Payload of a flit."""


class Requester:
    """A packet buffer unit, a slot or the detour, seen from the crossbar.

    It accepts only when it has nothing more to send, or when its last flit goes in the same cycle; since grants come
    in the cycle of their answer, it may also accept what is not granted, which must have no effect.

    Parameters
    ----------
    random : Random
        The run's only source of randomness.
    config : PacketConfig
        Gives the format of heads and the length of packets.
    ports : int
        Outputs it can request, the bits of its request.
    repeats : bool
        Its packets can be refused: then the rest is forgotten and the output requested again.
    """

    def __init__(self, random: Random, config: PacketConfig, ports: int, repeats: bool = False) -> None:
        self.random, self.config, self.ports, self.repeats = random, config, ports, repeats
        self.wants = self.request = self.accept = self.granted = 0
        self.flits: list[tuple[int, int, int, int]] = []
        self.port = 0
        self.valid = 0
        self.begun = False

    @property
    def refusable(self) -> bool:
        """Whether the head of a packet that can be repeated has gone, and more is to come."""
        return self.repeats and self.begun and bool(self.flits)

    def next(self, mood: dict[str, float], open_ports: int) -> dict[str, int]:
        """Return request, accept, closing and flit of the next cycle.

        Parameters
        ----------
        mood : dict
            ``load``, ``withdraw``, ``gap``, ``eager`` and ``lie`` (about ``closing``), all probabilities.
        open_ports : int
            The outputs that surely take a word in the next cycle.
        """
        random = self.random
        if chance(random, mood["load"]):
            self.wants |= 1 << random.randrange(self.ports)
        if self.wants and chance(random, mood["withdraw"]):
            self.wants &= random.getrandbits(self.ports)
        if self.flits and not self.valid:
            self.valid = not chance(random, mood["gap"])
        leaves = len(self.flits) == 1 and self.begun and self.valid and open_ports >> self.port & 1
        left = len(self.flits) <= 2 and self.begun
        closing = left != chance(random, mood["lie"]) if self.flits else 0
        self.request = self.wants if not self.flits or closing else self.wants & -self.wants
        self.accept = 0
        if (not self.flits or leaves) and self.request:
            choice = self.granted & self.request or self.request
            if self.granted or chance(random, mood["eager"]):
                self.accept = 1 << random.choice([port for port in range(self.ports) if choice >> port & 1])
        values = {"request": self.request, "accept": self.accept, "closing": int(closing), "flit__valid": self.valid}
        if self.valid:
            values |= {f"flit__{name}": value for name, value in zip(FLIT, self.flits[0], strict=True)}
        return {name: int(value) for name, value in values.items()}

    def saw(self, grant: int, ready: int, refused: int) -> None:
        """Take the edge of a cycle with these outputs of the crossbar."""
        if self.valid and ready:
            self.begun = True
            del self.flits[0]
            self.valid = 0
        if refused:
            self.flits, self.valid = [], 0
            self.wants |= 1 << self.port
        self.granted = grant & ~self.accept
        if grant & self.accept:
            self.port = self.accept.bit_length() - 1
            if chance(self.random, 0.5):
                self.wants &= ~self.accept
            self.flits, self.valid, self.begun = self._packet(), 1, False

    def _packet(self) -> list[tuple[int, int, int, int]]:
        """Return the flits of a packet of random length; some end early."""
        random, config = self.random, self.config
        length = random.choice((1, 2, config.max_words, random.randint(1, config.max_words)))
        words = min(length, config.max_words)
        destination = random.randrange(config.nodes)
        head = Head(contrary=chance(random, 0.5), next_port=random.randrange(16), length=words, destination=destination)
        flits = [(1, 0, 0, head.encode(config))]
        flits += [(0, 0, 0, random.getrandbits(config.width)) for _ in range(words)]
        if chance(random, 0.15):
            del flits[random.randint(2, words + 1) :]
            flits[-1] = (0, 1, 1, 0)
        else:
            flits[-1] = (0, 1, 0, flits[-1][3])
        return flits
