"""Watched: a point run on the golden network once more, while a system's recorder follows every packet."""

from __future__ import annotations

import importlib
from collections import defaultdict
from collections.abc import Iterator, Mapping
from typing import Any

from cubecast.golden.common.contract.load import Kind
from cubecast.golden.common.twins.load_node import LoadNode, Offer
from cubecast.golden.common.twins.ports import bits
from cubecast.golden.reduction.algorithms.load import joined
from cubecast.systems import SYSTEMS
from cubecast.systems.reduction import SYSTEM as REDUCTION
from cubecast.tb.campaigns.curves.records import Joining

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
    joining : Joining, optional
        What nodes with join units reduce beside it.
    """

    def __init__(self, system: str, config: Any, joining: Joining | None = None) -> None:
        """Start in reset, with nothing recorded."""
        self.config = config
        self.messages: list[dict[str, Any]] = []
        if joining is None:
            playback = importlib.import_module(SYSTEMS[system].playback.partition(":")[0])
            self.recorder = playback.Playback(config)
        else:
            assert REDUCTION.loads is not None
            module, _, name = REDUCTION.loads.recorder.partition(":")
            recorder = getattr(importlib.import_module(module), name)
            self.recorder = recorder(joined(config), joining.tree, joining.count)
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
    found = watching.summed_up()
    for message in found["messages"]:
        message["destinations"] = [*dict.fromkeys(message["destinations"])]
    return {**found, "errors": [], **parts}, events
