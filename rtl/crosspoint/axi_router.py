"""Crosspoint router of one node with AXI4-Stream ports and an AXI4-Lite control port."""

from cubecast.golden.crosspoint.contract.axi import axi
from cubecast.golden.crosspoint.contract.config import CrosspointConfig
from cubecast.rtl.common.axi_ports import AxiPorts
from cubecast.rtl.crosspoint.router import CrosspointRouter, signature

__all__ = ["AxiCrosspointRouter"]


class AxiCrosspointRouter(AxiPorts):
    """Crosspoint router whose node's side is AXI.

    Parameters
    ----------
    config : CrosspointConfig
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
        Packets of the node; tuser, from bit 0 on: error (with tlast), r1, r2 and kind (beside the first word).
    m_axis_tdata, m_axis_tvalid, m_axis_tready, m_axis_tlast, m_axis_tuser
        Packets for it; tuser, from bit 0 on: error (with tlast), kind (beside the first word).
    s_axi_* : AXI4-Lite slave, 32 bits
        The registers.
    link_in__j__*, link_out__j__*
        Links, as the router has them.
    report__*, multiple_faults : out
        As the router has them.

    Source: AMBA AXI4-Stream and AXI4-Lite.
    """

    def __init__(self, config: CrosspointConfig, axi_clock: bool = False):
        ports = dict(signature(config).members)
        super().__init__(CrosspointRouter, ports, config, axi(config), called="router", axi_clock=axi_clock)
