"""Network of packet routers with AXI ports at every node."""

from cubecast.golden.packet.contract.axi import axi
from cubecast.golden.packet.contract.config import PacketConfig
from cubecast.rtl.common.axi_ports import AxiPorts
from cubecast.rtl.packet.network import PacketNetwork
from cubecast.rtl.packet.router import signature

__all__ = ["AxiPacketNetwork"]


class AxiPacketNetwork(AxiPorts):
    """Packet network whose nodes' side is AXI, at each node as that of :class:`AxiPacketRouter`.

    See :class:`AxiPorts`.

    Source: Buzzard 1988, section 5.1; AMBA AXI4-Stream and AXI4-Lite.
    """

    def __init__(self, config: PacketConfig, axi_clock: bool = False):
        super().__init__(
            PacketNetwork, signature(config), config, axi(config, cube=True), called="network", axi_clock=axi_clock
        )
