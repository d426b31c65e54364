"""Network of packet routers with AXI ports at every node."""

from cubecast.golden.packet.contract.axi import axi
from cubecast.golden.packet.contract.config import PacketConfig
from cubecast.rtl.common.axi_ports import AxiPorts
from cubecast.rtl.common.cube import vectors
from cubecast.rtl.packet.network import PacketNetwork
from cubecast.rtl.packet.router import signature

__all__ = ["AxiPacketNetwork"]


class AxiPacketNetwork(AxiPorts):
    """Packet network whose nodes' side is AXI; every port is a packed vector, with node v's value as item v.

    Parameters
    ----------
    config : PacketConfig
        Parameters of the routers.
    axi_clock : bool
        True: the clock and the reset are the ports ``aclk`` and ``aresetn``. False: ``clk`` and ``rst``.

    Ports
    -----
    aclk, aresetn : in
        Only with ``axi_clock``.
    s_axis_tdata, s_axis_tvalid, s_axis_tready, s_axis_tlast, s_axis_tuser
        Packets of the node: destination, then data; with every word, tuser names the slots that take it.
    m_axis_tdata, m_axis_tvalid, m_axis_tready, m_axis_tlast, m_axis_tuser
        Packets for it; with tlast, tuser is ``error``: the packet ended early, and this is no word.
    s_axi_* : AXI4-Lite slave, 32 bits
        The registers.
    report_*, multiple_faults : out
        As the network has them.

    Source: Buzzard 1988, section 5.2; AMBA AXI4-Stream and AXI4-Lite.
    """

    def __init__(self, config: PacketConfig, axi_clock: bool = False):
        ports = vectors(signature(config), config.nodes)
        super().__init__(PacketNetwork, ports, config, axi(config, cube=True), called="network", axi_clock=axi_clock)
