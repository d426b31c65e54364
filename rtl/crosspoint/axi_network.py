"""Network of crosspoint routers with AXI ports at every node."""

from cubecast.golden.crosspoint.contract.axi import axi
from cubecast.golden.crosspoint.contract.config import CrosspointConfig
from cubecast.rtl.common.axi_ports import AxiPorts
from cubecast.rtl.crosspoint.network import CrosspointNetwork
from cubecast.rtl.crosspoint.router import signature

__all__ = ["AxiCrosspointNetwork"]


class AxiCrosspointNetwork(AxiPorts):
    """Crosspoint network whose nodes' side is AXI, at each node as that of :class:`AxiCrosspointRouter`.

    See :class:`AxiPorts`.

    Source: AMBA AXI4-Stream and AXI4-Lite.
    """

    def __init__(self, config: CrosspointConfig, axi_clock: bool = False):
        super().__init__(
            CrosspointNetwork, signature(config), config, axi(config, cube=True), called="network", axi_clock=axi_clock
        )
