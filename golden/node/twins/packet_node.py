"""Packet node: a node interface with its packet router."""

from __future__ import annotations

from cubecast.golden.common.contract.units import ADDRESS_BITS
from cubecast.golden.common.twins.ports import Inputs, Outputs, stream
from cubecast.golden.node.contract.config import NodeConfig
from cubecast.golden.node.twins.node_interface import NodeInterface
from cubecast.golden.packet.twins.router import PacketRouter

__all__ = ["PacketNode", "from_router"]

EJECT = ("data", "last", "error")
REPORT = ("reason", "destination", "port", "lane")
"""Payload of streams of the router."""

INJECT = ("inject__valid", "inject__data", "inject__last", "inject__slots", "inject__kind")
"""What the router is given by the interface."""


def from_router(router: PacketRouter) -> dict[str, int]:
    """Return what a router tells its interface in this cycle."""
    ports = stream("eject", EJECT, router.ejected) | stream("report", REPORT, router.report)
    del ports["report__port"]
    return {"inject__ready": router.inject_ready} | {name: value or 0 for name, value in ports.items()}


class PacketNode:
    """Twin of the packet node.

    Parameters
    ----------
    config : NodeConfig
        Parameters of the node.

    Source: Buzzard 1988, figure 5.1 (packet communication processor).
    """

    def __init__(self, config: NodeConfig) -> None:
        """Start in reset."""
        self.config = config
        self.router = PacketRouter(config.router, kinds=True)
        self.interface = NodeInterface(config)
        self.upper = 0

    def step(self, inputs: Inputs) -> Outputs:
        """Return this cycle's outputs and take the edge."""
        get, interface = inputs.get, self.interface
        address = get("control__address", 0)
        upper = address >> ADDRESS_BITS
        own = {**inputs, **from_router(self.router), "control__write": int(bool(get("control__write")) and upper)}
        shown = interface.show(own)
        mine = {
            "control__address": address & (1 << ADDRESS_BITS) - 1,
            "control__write": int(bool(get("control__write")) and not upper),
            "eject__ready": shown["eject__ready"] or 0,
            **{name: shown[name] or 0 for name in INJECT},
        }
        outputs = self.router.step({**inputs, **mine})
        interface.edge(own, shown)
        if self.upper:
            outputs["control__read_data"] = shown["control__read_data"]
        self.upper = 0 if get("rst") else upper
        outputs |= {name: value for name, value in shown.items() if name in ("doorbell__ready", "early", "irq")}
        outputs |= {name: value for name, value in shown.items() if name.startswith(("read__", "write__"))}
        return {name: value for name, value in outputs.items() if not name.startswith(("inject__", "eject__"))}
