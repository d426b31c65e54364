"""Load network: a packet network with a traffic source and sink at every node."""

from __future__ import annotations

from cubecast.golden.common.twins.ports import Inputs, Outputs
from cubecast.golden.packet.contract.config import PacketConfig
from cubecast.golden.packet.twins.load_node import LoadNode, Settings
from cubecast.golden.packet.twins.router import PacketRouter

__all__ = ["LoadNetwork"]


class LoadNetwork:
    """Twin of the load network.

    Parameters
    ----------
    config : PacketConfig
        Parameters of the routers.
    queue : int
        Messages that a send queue holds.

    Source: Buzzard 1988, section 5.7 (simulations of hypercubes of degree 6).
    """

    def __init__(self, config: PacketConfig, queue: int = 16) -> None:
        """Start in reset."""
        self.config = config
        self._queue = queue
        self.reset()

    def reset(self) -> None:
        """Set all registers to their reset values."""
        config = self.config
        self.routers = [PacketRouter(config, node) for node in range(config.nodes)]
        self.loads = [LoadNode(config, self._queue) for _ in range(config.nodes)]
        for node, load in enumerate(self.loads):
            load.address = node

    def step(self, inputs: Inputs) -> Outputs:
        """Return this cycle's outputs and take the edge."""
        get = inputs.get
        choose = get("choose", 0)
        outputs: Outputs = {"idle": int(all(load.idle for load in self.loads))}
        outputs |= self.loads[choose].counters
        outputs["control_read_data"] = self.routers[choose].control.read_data
        if get("rst"):
            self.reset()
            return outputs
        self._edge(Settings(**{name: get(name, 0) for name in Settings._fields}), get("control_address", 0))
        return outputs

    def _edge(self, settings: Settings, address: int) -> None:
        """Take the edge of a cycle."""
        routers, dims, serial = self.routers, range(self.config.dim), self.config.link == "serial"
        gathered = []
        for node, router in enumerate(routers):
            near = [routers[node ^ 1 << j] for j in dims]
            arrivals = [far.link_out[j] for j, far in enumerate(near)]
            lines = sum((far.lines >> j & 1) << j for j, far in enumerate(near))
            opened = sum((far.ready >> j & 1) << j for j, far in enumerate(near))
            refused = sum(((far.hold if serial else far.refusing) >> j & 1) << j for j, far in enumerate(near))
            words = router.node_input.words
            gathered.append((arrivals, lines, opened, refused, words[0] if words else None))
        for router, load, seen in zip(routers, self.loads, gathered, strict=True):
            arrivals, lines, opened, refused, word = seen
            offer, ready = load.offer(settings), router.node_output.ready
            router.control.read_data = router.control.read(address)
            router.edge(arrivals, lines, opened, refused, 1, offer)
            load.edge(settings, ready, word)
