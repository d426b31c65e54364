"""Network of collective nodes with AXI ports at every node."""

from cubecast.golden.collective.contract.axi import axi
from cubecast.golden.collective.contract.config import CollectiveConfig
from cubecast.rtl.collective.network import CollectiveNetwork
from cubecast.rtl.collective.node import signature
from cubecast.rtl.common.axi_ports import AxiPorts

__all__ = ["AxiCollectiveNetwork"]


class AxiCollectiveNetwork(AxiPorts):
    """Collective network whose processors' side is AXI, at each node as that of :class:`AxiCollectiveNode`.

    See :class:`AxiPorts`.

    Source: Lan 1988, section 2.3; AMBA AXI4-Stream and AXI4-Lite.
    """

    def __init__(self, config: CollectiveConfig, axi_clock: bool = False):
        super().__init__(
            CollectiveNetwork, signature(config), config, axi(config, cube=True), called="network", axi_clock=axi_clock
        )
