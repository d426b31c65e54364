"""Driver of a node: cuts messages into packets, chooses their routes, and injects them; sends on what it relays."""

from __future__ import annotations

import dataclasses
from collections import deque
from collections.abc import Iterator, Mapping, Sequence
from random import Random
from typing import Any

from cubecast.golden.crosspoint.algorithms.packets import Header, members
from cubecast.golden.crosspoint.algorithms.routes import POLICIES, Faults, Leg, Unreachable
from cubecast.golden.crosspoint.algorithms.splitting import Packet as Planned
from cubecast.golden.crosspoint.algorithms.splitting import plan
from cubecast.golden.crosspoint.contract.config import CrosspointConfig
from cubecast.golden.crosspoint.contract.word import Kind
from cubecast.tb.common.playback import Outputs, pieces

__all__ = ["Driver", "Packet", "known_faults"]


@dataclasses.dataclass(frozen=True, kw_only=True, eq=False)
class Packet:
    """A packet in the send queue of a node.

    Parameters
    ----------
    message : int
        Number of its message, in the order in which the run was given them.
    source : int
        Node that injects it: that of the message, or a relay.
    header : Header
        Its header.
    words : tuple of int
        What is injected; the bitmap first, if there is one.
    number, count : int
        Its place among the packets that go to these destinations, and how many they are.
    branch : int
        Which of the packets of the message's plan it is a part of.
    length : int
        Data words of the message.
    onward : Leg, optional
        What the node that gets it sends on, with the same words.
    stream : int, optional
        What has to come in order at a node: all that this node sends, if the policy keeps to one path.
    error : bool
        Whether it is injected with ``error`` on its last word: a relay got it so.
    raw : bool
        Whether header and words were given as they are.
    """

    message: int
    source: int
    header: Header
    words: tuple[int, ...]
    number: int = 0
    count: int = 1
    branch: int = 0
    length: int = 0
    onward: Leg | None = None
    stream: int | None = None
    error: bool = False
    raw: bool = False


def known_faults(config: CrosspointConfig, dead: Sequence[int], vectors: Sequence[int]) -> Faults:
    """Return what the fault vectors of all nodes say; a dead node works again when a link to it does."""
    cut = [
        sum((vectors[node] | vectors[node ^ 1 << j]) & 1 << j for j in range(config.dim))
        for node in range(config.nodes)
    ]
    links = frozenset((node, j) for node in range(config.nodes) for j in members(cut[node]) if not node >> j & 1)
    return Faults(frozenset(node for node in dead if cut[node] == config.nodes - 1), links)


class Driver:
    """The processor of one node: takes messages when their cycle has come, and injects one packet after the other.

    Routes are chosen when a message is taken, from the faults of that cycle; all packets of a message for the same
    destinations take the same. A message without data goes as one word, 0, unless a bitmap makes a packet of it.

    Parameters
    ----------
    config : CrosspointConfig
        Parameters of the network.
    node : int
        Address of the node.
    messages : sequence of (int, dict)
        Number of each of its messages, and "cycle", "destinations", "data" and, of raw packets, "header" of it.
    dead : sequence of int
        Nodes that are faulty from the start.
    policy : str
        Routing policy of unicasts.
    chance : Random
        Where policies draw from.
    """

    def __init__(
        self,
        config: CrosspointConfig,
        node: int,
        messages: Sequence[tuple[int, Mapping[str, Any]]],
        dead: Sequence[int] = (),
        policy: str = "e-cube",
        chance: Random | None = None,
    ) -> None:
        self.config, self.node, self.policy = config, node, policy
        self.dead = frozenset(dead)
        self.chance = chance or Random(0)
        self.waiting = deque(messages)
        self.queue: deque[Packet] = deque()
        self.packet: Packet | None = None
        self.place = 0

    @property
    def done(self) -> bool:
        """Whether everything has been injected."""
        return self.resting and not self.waiting

    @property
    def resting(self) -> bool:
        """Whether nothing is to be injected before a later cycle."""
        return self.packet is None and not self.queue

    def offer(self, cycle: int, vectors: Sequence[int], outputs: Outputs) -> tuple[int, ...] | None:
        """Return valid, data, last, error, r1, r2 and kind of the word offered, None if there is none."""
        recorder = outputs.recorder
        while self.waiting and self.waiting[0][1]["cycle"] <= cycle:
            number, message = self.waiting.popleft()
            unreachable: dict[int, Unreachable] = {}
            found = list(self._packets(number, message, vectors, unreachable))
            recorder.planned(number, self.node, found, unreachable)
            self.queue.extend(found)
        if self.packet is None:
            if not self.queue:
                return None
            self.packet, self.place = self.queue.popleft(), 0
            recorder.announce(self.packet)
        words, header = self.packet.words, self.packet.header
        last = int(self.place == len(words) - 1)
        return 1, words[self.place], last, last & self.packet.error, header.r1, header.r2, header.kind

    def moved(self, outputs: Outputs) -> bool:
        """Take note of the outputs of the cycle, and of what is to be sent on; return whether a word was taken."""
        self.queue.extend(outputs.recorder.relayed(self.node))
        if self.packet is None or not outputs["inject_ready"] >> self.node & 1:
            return False
        self.place += 1
        if self.place == len(self.packet.words):
            self.packet = None
        return True

    def _packets(
        self,
        number: int,
        message: Mapping[str, Any],
        vectors: Sequence[int],
        unreachable: dict[int, Unreachable],
    ) -> Iterator[Packet]:
        """Yield the packets of a message; note the destinations that none goes to."""
        data = tuple(message["data"])
        if message["header"] is not None:
            header = Header(*message["header"], data[0] if message["header"][0] == Kind.BITMAP else 0)
            yield Packet(message=number, source=self.node, header=header, words=data, raw=True)
            return
        faults = known_faults(self.config, self.dead, vectors)
        for branch, planned in enumerate(self._plan(message["destinations"], bool(data), faults, unreachable)):
            header = planned.legs[0].header
            bitmap = (header.bitmap,) if header.kind == Kind.BITMAP else ()
            parts = pieces(data if data or bitmap else (0,), self.config.packet_limit - len(bitmap) or 1)
            for place, part in enumerate(parts):
                yield Packet(
                    message=number,
                    source=self.node,
                    header=header,
                    words=bitmap + part,
                    number=place,
                    count=len(parts),
                    branch=branch,
                    length=len(data),
                    onward=planned.legs[1] if len(planned.legs) > 1 else None,
                    stream=self.node if self.policy == POLICIES[0] else None,
                )

    def _plan(
        self, wanted: Sequence[int], data: bool, faults: Faults, unreachable: dict[int, Unreachable]
    ) -> Iterator[Planned]:
        """Yield the packets of a plan; a bitmap packet that has no room for data is replaced by unicasts."""
        config, chosen = self.config, {"policy": self.policy, "seed": self.chance.getrandbits(32)}
        found = plan(config, self.node, wanted, faults, **chosen)
        unreachable.update(found.unreachable)
        for planned in found.packets:
            if planned.legs[0].header.kind == Kind.BITMAP and data and config.packet_limit == 1:
                alone = dataclasses.replace(config, multicast=False)
                yield from plan(alone, self.node, planned.destinations, faults, **chosen).packets
            else:
                yield planned
