"""Packet router with AXI4-Stream ports and an AXI4-Lite control port."""

from __future__ import annotations

from cubecast.golden.common.twins.axi_ports import AxiPorts
from cubecast.golden.packet.contract.axi import axi
from cubecast.golden.packet.contract.config import PacketConfig
from cubecast.golden.packet.twins.router import PacketRouter

__all__ = ["AxiPacketRouter"]


class AxiPacketRouter(AxiPorts):
    """Twin of the packet router with AXI ports, in the clock domain ``clk``, ``rst``.

    Parameters
    ----------
    config : PacketConfig
        Parameters of the router.

    Source: docs/axi.md.
    """

    def __init__(self, config: PacketConfig) -> None:
        """Start in reset."""
        self.config = config
        super().__init__(PacketRouter(config), axi(config))
