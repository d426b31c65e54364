"""Testbench of the whole network that plays given messages and records what becomes of each of them.

Which message a word belongs to is followed from unit to unit: the n-th message injected at a node is the n-th one
given for it; it is in that node's injection unit until it has left. When a first word moves through a gateway, the
gateway's owner (golden network, compared with the RTL in every cycle) names the unit that sends it, and port and
lane name the unit that takes it. So identical messages are told apart as well.
"""

from __future__ import annotations

from collections import Counter, deque
from collections.abc import Generator, Mapping, Sequence
from random import Random
from typing import Any

from cubecast.golden.common.twins.ports import bits, join
from cubecast.golden.multicast.contract.config import Config
from cubecast.golden.multicast.twins.network import Network
from cubecast.tb.common.playback import START, Outputs, Recorder, play
from cubecast.tb.harness.bench import Bench
from cubecast.tb.multicast.standstill import ring
from cubecast.tb.multicast.watching import MulticastWatcher

__all__ = ["BENCH", "START", "Playback"]

INJECTION = -1
"""Stands for the injection port, beside the numbers of the ports that words leave through."""

Origin = tuple[int, int]
"""A message: its source, and how many were injected there before it."""


class Playback(Recorder):
    """Twin of the network that also records starts, deliveries, crossings of links and reports, each with its message.

    Parameters
    ----------
    config : Config
        Parameters of the network.
    probe : bool
        Always true: the links are recorded.
    """

    watcher = MulticastWatcher

    def __init__(self, config: Config, probe: bool = True) -> None:
        """Start in reset, with nothing recorded."""
        super().__init__(config, Network(config, probe=probe))
        self.injected = [0] * config.nodes
        self.starts: list[dict[str, Any]] = []
        self.held: dict[tuple[int, int, int], Origin] = {}
        self.reporting: dict[tuple[int, int, int], deque[tuple[int, Origin]]] = {}
        self.reported: Counter[tuple[int, int, int]] = Counter()
        self.open: set[tuple[int, int]] = set()
        self.coming: dict[int, dict[str, Any]] = {}

    def foresee(self, node: int, message: int, destinations: Sequence[int]) -> None:
        """Take note of which message the one is that a node will inject next."""
        self.watching.numbers[node, self.injected[node]] = message  # type: ignore[attr-defined]

    def settle(self) -> None:
        """Note that what is cut in the coming cycle ends in the middle."""
        routers = self.network.routers
        self.open = {
            (node, port) for node, port in self.open if port == INJECTION or not routers[node].control.cut >> port & 1
        }

    def record(self, inputs: Mapping[str, int], outputs: Mapping[str, Any], before: Any) -> None:
        """Record the words that move in this cycle."""
        config, node_count = self.config, self.config.nodes
        local = config.local
        started: dict[tuple[int, int, int], Origin] = {}
        for node in bits(inputs["inject_valid"] & outputs["inject_ready"]):
            if self._first(node, INJECTION, inputs["inject_last"]):
                started[node, local, 0] = origin = (node, self.injected[node])
                self.starts.append({"origin": origin, "cycle": self.now})
                self.injected[node] += 1
        for j in range(config.dim):
            for node in bits(outputs[f"link_{j}_valid"]):
                if self._first(node, j, outputs[f"link_{j}_last"]):
                    lane = outputs[f"link_{j}_lane"] >> node * config.lane_bits & (1 << config.lane_bits) - 1
                    to = node ^ 1 << j
                    started[to, j, lane] = origin = self.sender(node, j)
                    self.crossings.append({"origin": origin, "from": node, "to": to, "cycle": self.now})
        for node in bits(outputs["eject_valid"] & inputs["eject_ready"]):
            self._delivered(node, outputs)
        for node in bits(outputs["report_valid"]):
            port, lane, reason = (outputs[f"report_{name}"] >> 4 * node & 15 for name in ("port", "lane", "reason"))
            destination = outputs["report_destination"] >> config.dim * node & node_count - 1
            origin = self._reporter(node, port, lane)
            self.reports.append({"origin": origin, "node": node, "reason": reason, "destination": destination})
        for (node, port, lane), origin in started.items():
            made = self.network.routers[node].made[port * self.config.lanes + lane]
            self.reporting.setdefault((node, port, lane), deque()).append((made, origin))
        self.held |= started

    def _reporter(self, node: int, port: int, lane: int) -> Origin:
        """Return the message that the next report of this unit is about: reports leave in the order they were made."""
        unit = node, port, lane
        begun = self.reporting[unit]
        while len(begun) > 1 and begun[1][0] <= self.reported[unit]:
            begun.popleft()
        self.reported[unit] += 1
        return begun[0][1]

    def _first(self, node: int, port: int, last: int) -> bool:
        """Return whether the word that moves here is the first of its message; note whether more follow."""
        first = (node, port) not in self.open
        if last >> node & 1:
            self.open.discard((node, port))
        else:
            self.open.add((node, port))
        return first

    def sender(self, node: int, port: int) -> Origin:
        """Return the message whose word has moved through a gateway in this cycle."""
        channel, lane = divmod(self.network.routers[node].gateways[port].owner, self.config.lanes)
        return self.held[node, channel, lane]

    def _delivered(self, node: int, outputs: Mapping[str, Any]) -> None:
        """Record a word that a node's processor takes."""
        if node not in self.coming:
            origin = self.sender(node, self.config.local)
            self.coming[node] = {"origin": origin, "node": node, "first_cycle": self.now, "words": []}
        record = self.coming[node]
        record["words"].append(outputs["eject_data"] >> node * self.config.width & (1 << self.config.width) - 1)
        if outputs["eject_last"] >> node & 1:
            record |= {"last_cycle": self.now, "error": bool(outputs["eject_error"] >> node & 1)}
            self.deliveries.append(self.coming.pop(node))

    def inside(self) -> list[dict[str, Any]]:
        """Return the units that have not finished their message."""
        found = []
        for (node, port, lane), origin in sorted(self.held.items()):
            router = self.network.routers[node]
            unit = router.injection if port == self.config.local else router.channels[port].mhus[lane]
            if not unit.free:
                found.append({"origin": origin, "node": node, "port": port, "lane": lane})
        return found

    def result(self) -> dict[str, Any]:
        """Return everything recorded."""
        return self.told() | {
            "injected": self.injected,
            "starts": self.starts,
            "inside": self.inside(),
            "ring": [{"node": b.node, "port": b.channel, "lane": b.lane} for b in ring(self.network)],
        }


def stimulus(
    random: Random,
    config: Config,
    messages: Sequence[Mapping[str, Any]] = (),
    explore: bool = False,
    **settings: Any,
) -> Generator[dict[str, int], Outputs, None]:
    """Play messages, see :func:`cubecast.tb.common.playback.play`, which takes the other settings.

    Parameters
    ----------
    random : Random
        Decides when receivers stall.
    config : Config
        Parameters of the network.
    messages : sequence of dict
        Each with "source", "words" and "cycle", the earliest cycle; those of one source go in this order.
    explore : bool
        Whether the run is recorded cycle by cycle.
    """
    sources = [_Source(node, [m for m in messages if m["source"] == node]) for node in range(config.nodes)]
    everyone = (1 << config.nodes) - 1

    def at_rest(outputs: Outputs, vectors: Sequence[int]) -> bool:
        """Return whether every unit is ready for a message."""
        lanes = (outputs[f"link_{j}_ready"] == _free(config, vectors, j) for j in range(config.dim))
        return outputs["inject_ready"] == everyone and all(lanes)

    yield from play(
        random,
        config,
        [source for source in sources if not source.done],
        {"valid": 1, "data": config.width, "last": 1},
        tuple(f"link_{j}_valid" for j in range(config.dim)),
        at_rest,
        patience=200,
        watched=messages if explore else None,
        **settings,
    )


def _free(config: Config, vectors: Sequence[int], dimension: int) -> int:
    """Return what the ready lanes of a dimension's links are when nothing is in the network."""
    cut = (vectors[node] | vectors[node ^ 1 << dimension] for node in range(config.nodes))
    return join([0 if vector >> dimension & 1 else (1 << config.lanes) - 1 for vector in cut], config.lanes)


class _Source:
    """The processor of one node: injects its messages word by word."""

    def __init__(self, node: int, messages: Sequence[Mapping[str, Any]]) -> None:
        self.node = node
        self.waiting = deque((message["cycle"], deque(message["words"])) for message in messages)
        self.started = False

    @property
    def done(self) -> bool:
        """Whether nothing is left to be sent."""
        return not self.waiting

    @property
    def resting(self) -> bool:
        """Whether the next message has not started."""
        return not self.started

    def offer(self, cycle: int, vectors: Sequence[int], outputs: Outputs) -> tuple[int, int, int] | None:
        """Return valid, data and last of the next word, None before the cycle for it has come."""
        start, words = self.waiting[0]
        self.started = self.started or start <= cycle
        return (1, words[0], int(len(words) == 1)) if self.started else None

    def moved(self, outputs: Outputs) -> bool:
        """Take note of the outputs of the cycle; return whether the word offered was taken."""
        if not (self.started and outputs["inject_ready"] >> self.node & 1):
            return False
        words = self.waiting[0][1]
        words.popleft()
        if not words:
            self.waiting.popleft()
            self.started = False
        return True


BENCH = Bench(
    unit="multicast.network:Network",
    twin="cubecast.tb.multicast.playback:Playback",
    stimulus=stimulus,
    collect=Playback.result,
    extra={"probe": True},
    first=START,
)
