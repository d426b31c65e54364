"""Watched: a point run on the golden network once more, while a system's recorder follows every packet."""

from __future__ import annotations

import importlib
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping
from typing import Any

from cubecast.golden.common.contract.load import Kind
from cubecast.golden.common.twins.load_node import LoadNode, Offer
from cubecast.golden.common.twins.ports import bits
from cubecast.systems import SYSTEMS

__all__ = ["Tap", "recorded"]

LOAD_NODE = "load node"


class Tap:
    """Stands in a load network in place of the golden network, and lets a recorder of the system's playback run it.

    Parameters
    ----------
    system : str
        Name of the system.
    config : configuration
        Parameters of the routers.
    """

    def __init__(self, system: str, config: Any) -> None:
        """Start in reset, with nothing recorded."""
        self.config = config
        self.messages: list[dict[str, Any]] = []
        playback = importlib.import_module(SYSTEMS[system].playback.partition(":")[0])
        self.recorder = playback.Playback(config)
        # The first cycle of the run is cycle 0 of the recording.
        self.recorder.cycle -= self.recorder.now
        self.recorder.watch(self.messages)
        self.routers = self.recorder.network.routers
        self._loads: list[LoadNode] = []
        self._open: dict[int, int] = {}
        self._said: dict[int, int] = {}
        self._units = self.recorder.watching.parts()["units"]

    def attach(self, network: Any) -> None:
        """Take the place of the routers in a load network that is in reset."""
        self._loads = network.nodes
        network.network = self

    def step(self, inputs: Mapping[str, int]) -> Any:
        """Return the outputs of the routers, and take the edge."""
        for node, load in enumerate(self._loads):
            offered = load.offer(inputs.get("load", 0) >> node & 1)
            if offered is not None and load.head and self._said.get(node) != load.number:
                self._said[node] = load.number
                self._begin(node, load, offered)
            waiting = [load.backlog] if load.backlog else []
            self.recorder.watching.recording.unit(self.recorder.now, node, len(self._units), waiting)
        return self.recorder.step(defaultdict(int, inputs))

    def _begin(self, node: int, load: LoadNode, offered: Offer) -> None:
        """Take note of a packet that a load node begins to offer."""
        message = self._open.get(node)
        if message is None:
            message = len(self.messages)
            self.messages.append({"message": message, "source": node, "destinations": []})
        destinations = [*_destinations(node, offered, self.config.nodes)]
        self.messages[message]["destinations"] += destinations
        self.recorder.foresee(node, message, destinations)
        if load.closes:
            self._open.pop(node, None)
        else:
            self._open[node] = message


def _destinations(node: int, offered: Offer, nodes: int) -> Iterator[int]:
    """Yield the nodes that a packet is for."""
    if offered.kind == Kind.ALL:
        yield from (other for other in range(nodes) if other != node)
    elif offered.kind == Kind.LIST:
        yield from (node ^ offered.r1 ^ relative for relative in bits(offered.block))
    else:
        yield node ^ offered.r1 ^ offered.r2


def recorded(tap: Tap) -> tuple[dict[str, Any], list[dict[str, Any]]]:
    """Return what the header of the recording says of the run, and its events."""
    watching = tap.recorder.watching
    parts, events = watching.parts(), watching.recording.result()
    parts["units"] = [*parts["units"], [LOAD_NODE, LOAD_NODE]]
    parts["kinds"] = parts["kinds"] | {LOAD_NODE: ["messages waiting"]}
    starts: dict[int, int] = {}
    came: dict[tuple[int, int], list[int]] = {}
    words: Counter[tuple[int, int]] = Counter()
    runs: Counter[tuple[int, int]] = Counter()
    waited: dict[tuple[int, int], set[int]] = defaultdict(set)
    for event in events:
        cycle = event["cycle"]
        for _node, message, *_ in event.get("inject", ()):
            starts.setdefault(message, cycle)
        for node, message, sent, *offsets in event.get("eject", ()):
            last = cycle + (offsets[0][-1] if offsets else len(sent) - 1)
            first, before = came.get((message, node), (cycle, last))
            came[message, node] = [first, max(before, last)]
        for node, dimension, _lane, _message, sent, *_ in event.get("links", ()):
            words[node, dimension] += len(sent)
            runs[node, dimension] += 1
        for node, _unit, port, _message, _why, _by, count in event.get("waits", ()):
            waited[node, port].update(range(cycle, cycle + count))
    messages = [
        {**message, "destinations": [*dict.fromkeys(message["destinations"])], "start_cycle": starts.get(place)}
        for place, message in enumerate(tap.messages)
    ]
    links = [
        {
            "from": node,
            "to": node ^ 1 << port,
            "words": words[node, port],
            "messages": runs[node, port],
            "waited": len(waited[node, port]),
        }
        for node, port in sorted({*words, *waited})
        if port < tap.config.dim
    ]
    deliveries = [
        {"message": message, "node": node, "first_cycle": first, "last_cycle": last, "error": False}
        for (message, node), (first, last) in sorted(came.items(), key=lambda each: (each[1][1], each[0]))
    ]
    header = {"messages": messages, "deliveries": deliveries, "links": links, "errors": [], **parts}
    return header, events
