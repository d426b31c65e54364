"""Collective node with AXI4-Stream local ports and AXI4-Lite registers."""

from cubecast.golden.collective.contract.axi import axi
from cubecast.golden.collective.contract.config import CollectiveConfig
from cubecast.rtl.collective.node import CollectiveNode, signature
from cubecast.rtl.common.axi_ports import AxiPorts

__all__ = ["AxiCollectiveNode"]


class AxiCollectiveNode(AxiPorts):
    """Collective node whose processor's side is AXI.

    Parameters
    ----------
    config : CollectiveConfig
        Parameters of the node.
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
    s_axis_vector_tdata, s_axis_vector_tvalid, s_axis_vector_tready, s_axis_vector_tlast, s_axis_vector_tuser
        The node's own vector, a packet; tuser is ignored.
    m_axis_vector_tdata, m_axis_vector_tvalid, m_axis_vector_tready, m_axis_vector_tlast, m_axis_vector_tuser
        The result of a merge, or the messages of a ring; with tlast, tuser is ``error``.
    s_axi_* : AXI4-Lite slave, 32 bits
        The registers of the router.
    s_axi_collective_* : AXI4-Lite slave, 32 bits
        Those of the collective unit.
    link_in__j__*, link_out__j__*, report__*, multiple_faults, busy, failed, custom_own, custom_other, custom_result
        As the collective node has them.

    Source: Lan 1988, figure 2.2; AMBA AXI4-Stream and AXI4-Lite.
    """

    def __init__(self, config: CollectiveConfig, axi_clock: bool = False):
        ports = dict(signature(config).members)
        super().__init__(CollectiveNode, ports, config, axi(config), called="node", axi_clock=axi_clock)
