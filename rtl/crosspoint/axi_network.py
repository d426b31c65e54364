"""Network of crosspoint routers with AXI ports at every node."""

from cubecast.golden.crosspoint.contract.axi import axi
from cubecast.golden.crosspoint.contract.config import CrosspointConfig
from cubecast.rtl.common.axi_ports import AxiPorts
from cubecast.rtl.common.cube import vectors
from cubecast.rtl.crosspoint.network import CrosspointNetwork
from cubecast.rtl.crosspoint.router import signature

__all__ = ["AxiCrosspointNetwork"]


class AxiCrosspointNetwork(AxiPorts):
    """Crosspoint network whose nodes' side is AXI; every port is a packed vector, with node v's value as item v.

    Parameters
    ----------
    config : CrosspointConfig
        Parameters of the routers.
    axi_clock : bool
        True: the clock and the reset are the ports ``aclk`` and ``aresetn``. False: ``clk`` and ``rst``.

    Ports
    -----
    aclk, aresetn : in
        Only with ``axi_clock``.
    s_axis_tdata, s_axis_tvalid, s_axis_tready, s_axis_tlast, s_axis_tuser
        Packets of the node; tuser, from bit 0 on: error (with tlast), r1, r2 and kind (beside the first word).
    m_axis_tdata, m_axis_tvalid, m_axis_tready, m_axis_tlast, m_axis_tuser
        Packets for it; tuser, from bit 0 on: error (with tlast), kind (beside the first word).
    s_axi_* : AXI4-Lite slave, 32 bits
        The registers.
    report_*, multiple_faults : out
        As the network has them.

    Source: AMBA AXI4-Stream and AXI4-Lite.
    """

    def __init__(self, config: CrosspointConfig, axi_clock: bool = False):
        ports = vectors(signature(config), config.nodes)
        super().__init__(
            CrosspointNetwork, ports, config, axi(config, cube=True), called="network", axi_clock=axi_clock
        )
