"""Packet router of one node with AXI4-Stream ports and an AXI4-Lite control port."""

from cubecast.golden.packet.contract.axi import axi
from cubecast.golden.packet.contract.config import PacketConfig
from cubecast.rtl.common.axi_ports import AxiPorts
from cubecast.rtl.packet.router import PacketRouter, signature

__all__ = ["AxiPacketRouter"]


class AxiPacketRouter(AxiPorts):
    """Packet router whose node's side is AXI.

    Parameters
    ----------
    config : PacketConfig
        Parameters of the router.
    axi_clock : bool
        True: the clock and the reset are the ports ``aclk`` and ``aresetn``. False: ``clk`` and ``rst``.

    Ports
    -----
    aclk, aresetn : in
        Only with ``axi_clock``.
    address : in, n
        Strap: the node's address.
    s_axis_tdata, s_axis_tvalid, s_axis_tready, s_axis_tlast, s_axis_tuser
        Packets of the node: destination, then data; with every word, tuser names the slots that take it.
    m_axis_tdata, m_axis_tvalid, m_axis_tready, m_axis_tlast, m_axis_tuser
        Packets for it; with tlast, tuser is ``error``: the packet ended early, and this is no word.
    s_axi_* : AXI4-Lite slave, 32 bits
        The registers.
    link_in__j__*, link_out__j__*
        Links, as the router has them.
    report__*, multiple_faults : out
        As the router has them.

    Source: Buzzard 1988, section 5.4; AMBA AXI4-Stream and AXI4-Lite.
    """

    def __init__(self, config: PacketConfig, axi_clock: bool = False):
        ports = dict(signature(config).members)
        super().__init__(PacketRouter, ports, config, axi(config), called="router", axi_clock=axi_clock)
