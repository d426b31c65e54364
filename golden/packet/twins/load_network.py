"""Load network: a packet network with a traffic source and sink at every node."""

from __future__ import annotations

from cubecast.golden.common.contract.units import ADDRESS_BITS, DATA_BITS
from cubecast.golden.common.twins.ports import Inputs, Outputs, join
from cubecast.golden.packet.contract.config import PacketConfig
from cubecast.golden.packet.twins.load_node import LoadNode, Settings
from cubecast.golden.packet.twins.network import PacketNetwork

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
        self._inject = ("inject_data", config.width), ("inject_last", 1), ("inject_slots", config.dim)
        self.reset()

    def reset(self) -> None:
        """Set all registers to their reset values."""
        config = self.config
        self.network = PacketNetwork(config)
        self.loads = [LoadNode(config, self._queue) for _ in range(config.nodes)]
        for node, load in enumerate(self.loads):
            load.address = node

    def step(self, inputs: Inputs) -> Outputs:
        """Return this cycle's outputs and take the edge."""
        get, config, loads, routers = inputs.get, self.config, self.loads, self.network.routers
        everyone, choose = (1 << config.nodes) - 1, get("choose", 0)
        settings = Settings(**{name: get(name, 0) for name in Settings._fields})
        outputs: Outputs = {"idle": int(all(load.idle for load in loads)), **loads[choose].counters}
        seen = [(router.inject_ready, router.ejected) for router in routers]
        ports = {
            "rst": get("rst", 0),
            "control_address": join([get("control_address", 0)] * config.nodes, ADDRESS_BITS),
            "eject_ready": everyone,
            **dict.fromkeys(("inject_valid", *(name for name, _ in self._inject)), 0),
        }
        for node, offer in enumerate(load.offer(settings) for load in loads):
            if offer is not None:
                ports["inject_valid"] |= 1 << node
                for (name, width), value in zip(self._inject, offer, strict=True):
                    ports[name] |= value << width * node
        read_data = self.network.step(ports)["control_read_data"] or 0
        outputs["control_read_data"] = read_data >> DATA_BITS * choose & (1 << DATA_BITS) - 1
        if get("rst"):
            self.reset()
            return outputs
        for load, (ready, word) in zip(loads, seen, strict=True):
            load.edge(settings, ready, word)
        return outputs
