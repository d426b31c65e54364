"""Crosspoint router of one node with AXI4-Stream ports and an AXI4-Lite control port."""

from cubecast.golden.crosspoint.contract.axi import axi
from cubecast.golden.crosspoint.contract.config import CrosspointConfig
from cubecast.rtl.common.axi_ports import AxiPorts
from cubecast.rtl.crosspoint.router import CrosspointRouter, signature

__all__ = ["AxiCrosspointRouter"]


class AxiCrosspointRouter(AxiPorts):
    """Crosspoint router whose node's side is AXI; see :class:`AxiPorts`.

    The stream ``s_axis`` takes packets of the node; tuser, from bit 0 on: error (with tlast), r1, r2 and kind (beside
    the first word). ``m_axis`` has packets for it; tuser: error (with tlast), kind (beside the first word). The slave
    ``s_axi`` has the registers.

    Source: AMBA AXI4-Stream and AXI4-Lite.
    """

    def __init__(self, config: CrosspointConfig, axi_clock: bool = False):
        super().__init__(CrosspointRouter, signature(config), config, axi(config), called="router", axi_clock=axi_clock)
