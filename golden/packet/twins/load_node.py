"""Load node: traffic source and sink of one node, to measure a packet network under load."""

from __future__ import annotations

from collections import deque
from typing import NamedTuple

from cubecast.golden.common.contract.units import Requests
from cubecast.golden.common.twins.arbiter import Arbiter
from cubecast.golden.common.twins.ports import Inputs, Outputs, Word, bits
from cubecast.golden.common.twins.traffic_pattern import xorshift
from cubecast.golden.packet.algorithms.routing import fixed_choice, quasi_adaptive_choice
from cubecast.golden.packet.contract.config import PacketConfig
from cubecast.golden.packet.contract.load import COUNTERS, SALT, TIME_BITS

__all__ = ["LoadNode", "Message", "Offer", "Settings"]

Offer = tuple[int, int, int]
"""What is offered to the router in a cycle: data, last, mask of slots."""


class Message(NamedTuple):
    """A message in a send queue."""

    destination: int
    time: int
    measured: int


class Settings(NamedTuple):
    """What all load nodes of a network are told."""

    seed: int = 0
    rate: int = 0
    burst: int = 0
    packets: int = 1
    words: int = 3
    enable: int = 0
    measure: int = 0


class LoadNode:
    """Twin of the load node; all its outputs are functions of registers.

    ``offer`` is what it offers to the router in the coming cycle, ``counters`` are its counters by name, ``idle`` says
    whether nothing waits to be sent. :meth:`edge` takes the edge.

    Parameters
    ----------
    config : PacketConfig
        Parameters of the router.
    queue : int
        Messages that a send queue holds.

    Source: Buzzard 1988, section 5.7 (simulation metrics and parameters).
    """

    def __init__(self, config: PacketConfig, queue: int = 16) -> None:
        """Start in reset, at node 0."""
        self.config = config
        self.depth = queue
        self.address = 0
        self.arbiter = Arbiter(Requests(count=config.dim))
        self.reset()

    def reset(self) -> None:
        """Set all registers to their reset values."""
        n = self.config.dim
        self.arbiter.reset()
        self.counters = dict.fromkeys(COUNTERS, 0)
        self.random = 0
        self.now = 0
        self.due = 0
        self.queues: list[deque[Message]] = [deque() for _ in range(n)]
        self.sent = [0] * n
        self.slot = -1
        self.index = 0
        self._coming: list[int] = []

    @property
    def idle(self) -> bool:
        """Whether no message is queued."""
        return self.slot < 0 and not any(self.queues)

    def offer(self, settings: Settings) -> Offer | None:
        """Return what is offered to the router in this cycle."""
        if self.slot < 0:
            return None
        message, index = self.queues[self.slot][0], self.index
        data = index
        if index == 0:
            data = message.destination
        elif index == 1:
            data = message.time & 0xFFFF
        elif index == 2:
            left = settings.packets - 1 - self.sent[self.slot]
            data = message.measured << 15 | left << 7 | message.time >> 16
        return data, int(index == settings.words - 1), 1 << self.slot

    def edge(self, settings: Settings, ready: int, word: Word | None) -> None:
        """Take the edge of a cycle, with the router's ``ready`` mask and the word that comes from it."""
        levels = [len(queue) for queue in self.queues]
        now, n = self.now, self.config.dim
        new = self._generate(settings, levels, now)
        self._load(settings, levels, ready)
        if new is not None:
            j, message = new
            self.queues[j].append(message)
        if word is not None:
            self._take(settings, word, now)
        self.now = now + 1 & (1 << TIME_BITS) - 1
        if settings.enable:
            self.random = xorshift(self.random)
        else:
            own = sum(self.address << place for place in range(0, 32, n)) & 0xFFFFFFFF
            self.random = settings.seed ^ own ^ SALT or 1

    def _count(self, name: str, amount: int = 1) -> None:
        """Add to a counter."""
        self.counters[name] = self.counters[name] + amount & (1 << COUNTERS[name]) - 1

    def _generate(self, settings: Settings, levels: list[int], now: int) -> tuple[int, Message] | None:
        """Return slot and message of what goes into a send queue in this cycle."""
        if not settings.enable:
            self.due = 0
            return None
        config = self.config
        if self.due == 0:
            if self.random & 0xFFFF < settings.rate:
                self.due = settings.burst
            return None
        relative = self.random >> 16 & config.nodes - 1
        if not relative:
            return None
        self.due -= 1
        self._count("generated")
        destination = self.address ^ relative
        if config.routing == "fixed":
            j = fixed_choice(self.address, destination, config.dim)
        else:
            choice = quasi_adaptive_choice(self.address, destination, levels)
            assert choice is not None
            j = choice
        if levels[j] == self.depth:
            self._count("lost")
            return None
        if levels[j]:
            self._count("collisions")
        return j, Message(destination, now, settings.measure)

    def _load(self, settings: Settings, levels: list[int], ready: int) -> None:
        """Let the word that is offered move, and choose the slot of the next packet."""
        before = self.slot
        if before >= 0:
            if not ready >> before & 1:
                return
            last = self.index == settings.words - 1
            self.index += 1
            if not last:
                return
            self.sent[before] += 1
            if self.sent[before] == settings.packets:
                self.sent[before] = 0
                self.queues[before].popleft()
        request = sum(1 << j for j in bits(ready) if levels[j] and j != before)
        self.slot = self.arbiter.grant(request)
        if self.slot >= 0:
            self.arbiter.advance(self.slot)
            self.index = 0

    def _take(self, settings: Settings, word: Word, now: int) -> None:
        """Take a word from the router."""
        data, last, error = word
        if settings.measure:
            self._count("accepted")
        coming = self._coming
        if len(coming) < 4:
            coming.append(data)
        if not last:
            return
        self._coming = []
        if error or len(coming) < 4 or not coming[3] >> 15 & 1:
            return
        time = coming[2] & 0xFFFF | (coming[3] & 0x7F) << 16
        latency = now - time & (1 << TIME_BITS) - 1
        left = coming[3] >> 7 & 0xFF
        if left == settings.packets - 1:
            self._count("first_count")
            self._count("first_sum", latency)
        if left == 0:
            self._count("message_count")
            self._count("message_sum", latency)
            self.counters["message_max"] = max(self.counters["message_max"], latency)

    def step(self, inputs: Inputs) -> Outputs:
        """Return this cycle's outputs and take the edge."""
        get = inputs.get
        self.address = get("address", 0)
        settings = Settings(**{name: get(name, 0) for name in Settings._fields})
        offer = self.offer(settings)
        outputs: Outputs = {"eject__ready": 1, "idle": int(self.idle), "inject__valid": int(offer is not None)}
        outputs |= self.counters
        names = ("inject__data", "inject__last", "inject__slots")
        outputs |= dict(zip(names, offer or (None, None, None), strict=True))
        if get("rst"):
            self.reset()
            return outputs
        word = (get("eject__data", 0), get("eject__last", 0), get("eject__error", 0))
        self.edge(settings, get("inject__ready", 0), word if get("eject__valid") else None)
        return outputs
