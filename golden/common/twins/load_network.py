"""What load networks of all systems have in common: a cube of routers, each with a load node."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from cubecast.golden.common.contract.load import KIND_BITS, WORDS_BITS, LoadShape, settings
from cubecast.golden.common.twins.load_node import Came, LoadNode
from cubecast.golden.common.twins.load_router import NOTHING, LoadPort
from cubecast.golden.common.twins.ports import Inputs, Outputs, bits

__all__ = ["AnyLoadNetwork"]

HIDDEN = ("inject_", "eject_", "multiple_faults")
"""Ports of a network that stay inside."""


class AnyLoadNetwork:
    """Twin of the load network of any system; ports are vectors with an item for each node.

    Parameters
    ----------
    shape : LoadShape
        What the routers take.
    network : network
        Twin of the cube of routers.
    ports : sequence of LoadPort
        What stands between the load nodes and the routers.
    inject : mapping
        Fields of the injection ports with their bits, without ``valid``.
    """

    def __init__(self, shape: LoadShape, network: Any, ports: Sequence[LoadPort], inject: Mapping[str, int]) -> None:
        """Start in reset."""
        self.config = network.config
        self.network = network
        self.ports = ports
        self.nodes = [LoadNode(shape) for _ in range(shape.nodes)]
        self._settings: tuple[int, ...] = ()
        self._names = tuple(settings(shape))
        for address, node in enumerate(self.nodes):
            node.address = address
        n = shape.dim
        self._inject = dict(inject)
        self._eject = {"data": shape.width, "last": 1, "error": 1, "kind": KIND_BITS}
        flags = ("arrived", "idle", "draws", "refused", "sent_valid", "came_valid", "came_done")
        sent = {"begins": 1, "closes": 1, "left": WORDS_BITS, "whom": KIND_BITS, "r1": n, "r2": n, "everyone": 1}
        came = {"source": n, "number": shape.number_bits, "words": WORDS_BITS, "bad": 1}
        self._told = dict.fromkeys(flags, 1)
        self._told |= {f"sent_{name}": width for name, width in {**sent, "block": shape.block}.items()}
        self._told |= {f"came_{name}": width for name, width in came.items()}

    def step(self, inputs: Inputs) -> Outputs:
        """Return this cycle's outputs and take the edge."""
        get, routers, count = inputs.get, self.network.routers, len(self.nodes)
        load, enable = get("load", 0), get("enable", 0)
        given = tuple(get(name, 0) for name in self._names)
        if given != self._settings:
            self._settings = given
            for place, node in enumerate(self.nodes):
                node.adopt(inputs, place, count)
        offers = [node.offer(load >> place & 1) for place, node in enumerate(self.nodes)]
        injected = [NOTHING] * count
        words = {f"inject_{name}": 0 for name in ("valid", *self._inject)}
        for place, offered in enumerate(offers):
            if offered is not None:
                injected[place] = self.ports[place].inject(place, offered, routers[place].inject_ready)
                words["inject_valid"] |= 1 << place
                for name, width in self._inject.items():
                    words[f"inject_{name}"] |= injected[place].word.get(name, 0) << width * place
        ports = self.network.step({**inputs, **words, "eject_ready": (1 << count) - 1})
        outputs: Outputs = {name: value for name, value in ports.items() if not name.startswith(HIDDEN)}
        came = {place: self._came(ports, place) for place in bits(ports["eject_valid"])}
        vectors = dict.fromkeys(self._told, 0)
        for place, node in enumerate(self.nodes):
            _, ready, heading = injected[place]
            shown = int(node.shows(came.get(place)))
            for name, value in node.outputs(load >> place & 1, offers[place], ready, shown, heading).items():
                if value:
                    port = name.replace("__", "_")
                    vectors[port] |= value << self._told[port] * place
        outputs |= vectors
        if get("rst"):
            for node, between in zip(self.nodes, self.ports, strict=True):
                node.reset()
                between.reset()
            return outputs
        for place, (node, offered) in enumerate(zip(self.nodes, offers, strict=True)):
            _, ready, heading = injected[place]
            node.edge(load >> place & 1, enable >> place & 1, offered, ready, heading)
            node.take(came.get(place))
            if offered is not None:
                self.ports[place].edge(offered, injected[place])
        return outputs

    def _came(self, ports: Mapping[str, int], place: int) -> Came:
        """Return the word that comes at a node."""
        return Came(
            *(ports.get(f"eject_{name}", 0) >> width * place & (1 << width) - 1 for name, width in self._eject.items())
        )
