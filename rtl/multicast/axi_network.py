"""Network of routers with AXI ports at every node."""

from cubecast.golden.multicast.contract.axi import axi
from cubecast.golden.multicast.contract.config import Config
from cubecast.rtl.common.axi_ports import AxiPorts
from cubecast.rtl.multicast.network import Network
from cubecast.rtl.multicast.router import signature

__all__ = ["AxiNetwork"]


class AxiNetwork(AxiPorts):
    """Network whose processors' side is AXI, at each node as that of :class:`AxiRouter`.

    See :class:`AxiPorts`.

    Source: Lan 1988, section 2.3; AMBA AXI4-Stream and AXI4-Lite.
    """

    def __init__(self, config: Config, axi_clock: bool = False):
        super().__init__(
            Network, signature(config), config, axi(config, cube=True), called="network", axi_clock=axi_clock
        )
