"""Collective node with AXI4-Stream local ports and AXI4-Lite registers."""

from cubecast.golden.collective.contract.axi import axi
from cubecast.golden.collective.contract.config import CollectiveConfig
from cubecast.rtl.collective.node import CollectiveNode, signature
from cubecast.rtl.common.axi_ports import AxiPorts

__all__ = ["AxiCollectiveNode"]


class AxiCollectiveNode(AxiPorts):
    """Collective node whose processor's side is AXI; see :class:`AxiPorts`.

    The stream ``s_axis`` takes messages of the local processor, ``m_axis`` has deliveries to it; ``s_axis_vector``
    takes the node's own vector, tuser ignored; ``m_axis_vector`` has the result of a merge, or the messages of a ring;
    with tlast, tuser is ``error``. The slave ``s_axi`` has the registers of the router, ``s_axi_collective`` those of
    the collective unit.

    Source: Lan 1988, figure 2.2; AMBA AXI4-Stream and AXI4-Lite.
    """

    def __init__(self, config: CollectiveConfig, axi_clock: bool = False):
        super().__init__(CollectiveNode, signature(config), config, axi(config), called="node", axi_clock=axi_clock)
