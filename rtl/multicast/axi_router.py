"""Router of one node with AXI4-Stream local ports and an AXI4-Lite control port."""

from cubecast.golden.multicast.contract.axi import axi
from cubecast.golden.multicast.contract.config import Config
from cubecast.rtl.common.axi_ports import AxiPorts
from cubecast.rtl.multicast.router import Router, signature

__all__ = ["AxiRouter"]


class AxiRouter(AxiPorts):
    """Router whose processor's side is AXI.

    Parameters
    ----------
    config : Config
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
        Messages of the local processor, a packet each; tdata is whole bytes; with tlast, tuser is ``error``.
    m_axis_tdata, m_axis_tvalid, m_axis_tready, m_axis_tlast, m_axis_tuser
        Deliveries to it, likewise.
    s_axi_* : AXI4-Lite slave, 32 bits
        The registers.
    link_in__j__*, link_out__j__*
        Links, as the router has them.
    report__*, multiple_faults : out
        As the router has them.

    Source: Lan 1988, section 6.3; AMBA AXI4-Stream and AXI4-Lite.
    """

    def __init__(self, config: Config, axi_clock: bool = False):
        ports = dict(signature(config).members)
        super().__init__(Router, ports, config, axi(config), called="router", axi_clock=axi_clock)
