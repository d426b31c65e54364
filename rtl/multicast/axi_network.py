"""Network of routers with AXI ports at every node."""

from cubecast.golden.multicast.contract.axi import axi
from cubecast.golden.multicast.contract.config import Config
from cubecast.rtl.common.axi_ports import AxiPorts
from cubecast.rtl.common.cube import vectors
from cubecast.rtl.multicast.network import Network
from cubecast.rtl.multicast.router import signature

__all__ = ["AxiNetwork"]


class AxiNetwork(AxiPorts):
    """Network whose processors' side is AXI; every port is a packed vector, with node v's value as item v.

    Parameters
    ----------
    config : Config
        Parameters of the routers.
    axi_clock : bool
        True: the clock and the reset are the ports ``aclk`` and ``aresetn``. False: ``clk`` and ``rst``.

    Ports
    -----
    aclk, aresetn : in
        Only with ``axi_clock``.
    s_axis_tdata, s_axis_tvalid, s_axis_tready, s_axis_tlast, s_axis_tuser
        Messages of the local processor, a packet each; tdata is whole bytes; with tlast, tuser is ``error``.
    m_axis_tdata, m_axis_tvalid, m_axis_tready, m_axis_tlast, m_axis_tuser
        Deliveries to it, likewise.
    s_axi_* : AXI4-Lite slave, 32 bits
        The registers.
    report_*, multiple_faults : out
        As the network has them.

    Source: Lan 1988, section 2.3; AMBA AXI4-Stream and AXI4-Lite.
    """

    def __init__(self, config: Config, axi_clock: bool = False):
        ports = vectors(signature(config), config.nodes)
        super().__init__(Network, ports, config, axi(config, cube=True), called="network", axi_clock=axi_clock)
