"""Network of packet routers with AXI ports at every node."""

from __future__ import annotations

from cubecast.golden.common.twins.axi_ports import AxiPorts
from cubecast.golden.packet.contract.axi import axi
from cubecast.golden.packet.contract.config import PacketConfig
from cubecast.golden.packet.twins.network import PacketNetwork

__all__ = ["AxiPacketNetwork"]


class AxiPacketNetwork(AxiPorts):
    """Twin of the packet network with AXI ports, in the clock domain ``clk``, ``rst``.

    Parameters
    ----------
    config : PacketConfig
        Parameters of the routers.

    Source: docs/axi.md.
    """

    def __init__(self, config: PacketConfig) -> None:
        """Start in reset."""
        self.config = config
        super().__init__(PacketNetwork(config), axi(config, cube=True))
