"""Testbench of the whole network that plays given messages and records what becomes of each of them."""

from __future__ import annotations

from collections import deque
from collections.abc import Generator, Mapping, Sequence
from random import Random
from typing import Any

from cubecast.golden.common.twins.ports import join
from cubecast.golden.multicast.contract.config import Config
from cubecast.golden.multicast.twins.network import Network
from cubecast.tb.common.playback import START, Outputs, play
from cubecast.tb.harness.bench import Bench
from cubecast.tb.multicast.following import Follower
from cubecast.tb.multicast.standstill import ring
from cubecast.tb.multicast.watching import MulticastWatcher

__all__ = ["BENCH", "START", "Playback"]


class Playback(Follower):
    """Twin of the network that also follows its messages.

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
