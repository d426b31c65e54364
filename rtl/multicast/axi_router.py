"""Router of one node with AXI4-Stream local ports and an AXI4-Lite control port."""

from cubecast.golden.multicast.contract.axi import axi
from cubecast.golden.multicast.contract.config import Config
from cubecast.rtl.common.axi_ports import AxiPorts
from cubecast.rtl.multicast.router import Router, signature

__all__ = ["AxiRouter"]


class AxiRouter(AxiPorts):
    """Router whose processor's side is AXI; see :class:`AxiPorts`.

    The stream ``s_axis`` takes messages of the local processor, ``m_axis`` has deliveries to it; with tlast, tuser is
    ``error``. The slave ``s_axi`` has the registers.

    Source: Lan 1988, section 6.3; AMBA AXI4-Stream and AXI4-Lite.
    """

    def __init__(self, config: Config, axi_clock: bool = False):
        super().__init__(Router, signature(config), config, axi(config), called="router", axi_clock=axi_clock)
