"""Load network: a hypercube of crosspoint routers, each with a load node."""

from __future__ import annotations

from typing import Any

from cubecast.golden.common.twins.ports import Inputs, Outputs
from cubecast.golden.crosspoint.contract.config import CrosspointConfig
from cubecast.golden.crosspoint.contract.load import NUMBER_BITS, WORDS_BITS, settings
from cubecast.golden.crosspoint.contract.word import KIND_BITS
from cubecast.golden.crosspoint.twins.flit import Head
from cubecast.golden.crosspoint.twins.load_node import LoadNode
from cubecast.golden.crosspoint.twins.network import CrosspointNetwork

__all__ = ["LoadNetwork"]


class LoadNetwork:
    """Twin of the load network; ports are vectors with an item for each node.

    Parameters
    ----------
    config : CrosspointConfig
        Parameters of the routers.
    probe : bool
        Whether the links can be seen.
    network : twin, optional
        The network, if it is another one than one of crosspoint routers alone.
    """

    def __init__(self, config: CrosspointConfig, probe: bool = False, network: Any = None) -> None:
        """Start in reset."""
        self.config = config
        self.network = network or CrosspointNetwork(config, probe)
        self.nodes = [LoadNode(config) for _ in range(config.nodes)]
        self._names = tuple(settings(config))
        for address, node in enumerate(self.nodes):
            node.address = address
        n = config.dim
        self._inject = dict(zip(Head._fields, (config.width, 1, 1, n, n, KIND_BITS), strict=True))
        self._sent = {"head": 1, "closes": 1, "left": WORDS_BITS, "kind": KIND_BITS, "r1": n, "r2": n, "everyone": 1}
        self._sent["data"] = config.width
        self._settings: tuple[int, ...] = ()
        self._came = {"source": n, "number": NUMBER_BITS, "words": WORDS_BITS, "bad": 1}

    def step(self, inputs: Inputs) -> Outputs:
        """Return this cycle's outputs and take the edge."""
        get, routers, count = inputs.get, self.network.routers, self.config.nodes
        load, enable = get("load", 0), get("enable", 0)
        given = tuple(get(name, 0) for name in self._names)
        if given != self._settings:
            self._settings = given
            for place, node in enumerate(self.nodes):
                node.adopt(inputs, place, count)
        offers = [node.offer(load >> place & 1) for place, node in enumerate(self.nodes)]
        ready = [router.inject_ready for router in routers]
        came = [router.ejected for router in routers]
        words = {f"inject_{name}": 0 for name in self._inject} | {"inject_valid": 0}
        for place, offered in enumerate(offers):
            if offered is not None:
                words["inject_valid"] |= 1 << place
                for (name, width), value in zip(self._inject.items(), offered, strict=True):
                    words[f"inject_{name}"] |= value << width * place
        ports = self.network.step({**inputs, **words, "eject_ready": (1 << count) - 1})
        hidden = ("inject_", "eject_", "multiple_faults")
        outputs: Outputs = {name: value for name, value in ports.items() if not name.startswith(hidden)}
        outputs |= self._told(load, offers, ready, [int(word is not None) for word in came])
        if get("rst"):
            for node in self.nodes:
                node.reset()
            return outputs
        for place, node in enumerate(self.nodes):
            node.edge(load >> place & 1, enable >> place & 1, offers[place], ready[place])
            word = came[place]
            node.take(None if word is None else Head(word.data, word.last, word.error, kind=word.kind))
        return outputs

    def _told(self, load: int, offers: list[Head | None], ready: list[int], came: list[int]) -> dict[str, int]:
        """Return what the load nodes tell, as vectors."""
        flags = ("arrived", "idle", "draws", "refused", "sent_valid", "came_valid", "came_done")
        widths = dict.fromkeys(flags, 1)
        widths |= {f"sent_{name}": width for name, width in self._sent.items()}
        widths |= {f"came_{name}": width for name, width in self._came.items()}
        vectors = dict.fromkeys(widths, 0)
        for place, node in enumerate(self.nodes):
            for name, value in node.outputs(load >> place & 1, offers[place], ready[place], came[place]).items():
                if value:
                    port = name.replace("__", "_")
                    vectors[port] |= value << widths[port] * place
        return vectors
