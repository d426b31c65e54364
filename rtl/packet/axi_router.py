"""Packet router of one node with AXI4-Stream ports and an AXI4-Lite control port."""

from cubecast.golden.packet.contract.axi import axi
from cubecast.golden.packet.contract.config import PacketConfig
from cubecast.rtl.common.axi_ports import AxiPorts
from cubecast.rtl.packet.router import PacketRouter, signature

__all__ = ["AxiPacketRouter"]


class AxiPacketRouter(AxiPorts):
    """Packet router whose node's side is AXI; see :class:`AxiPorts`.

    The stream ``s_axis`` takes packets of the node: destination, then data; with every word, tuser names the slots
    that take it. ``m_axis`` has packets for it; with tlast, tuser is ``error``: the packet ended early, and this is no
    word. The slave ``s_axi`` has the registers.

    Source: Buzzard 1988, section 5.1; AMBA AXI4-Stream and AXI4-Lite.
    """

    def __init__(self, config: PacketConfig, axi_clock: bool = False):
        super().__init__(PacketRouter, signature(config), config, axi(config), called="router", axi_clock=axi_clock)
