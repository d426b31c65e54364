"""Network of crosspoint nodes with AXI ports at every node."""

from cubecast.golden.adapter.contract.axi import axi
from cubecast.golden.adapter.contract.config import AdapterConfig
from cubecast.rtl.adapter.network import AdapterNetwork
from cubecast.rtl.adapter.node import signature
from cubecast.rtl.common.axi_ports import AxiPorts

__all__ = ["AxiAdapterNetwork"]


class AxiAdapterNetwork(AxiPorts):
    """Network of nodes with adapters whose processors' side is AXI, at each node as that of :class:`AxiAdapterNode`.

    See :class:`AxiPorts`.

    Source: AMBA AXI4-Stream and AXI4-Lite.
    """

    def __init__(self, config: AdapterConfig, axi_clock: bool = False):
        super().__init__(
            AdapterNetwork, signature(config), config, axi(config, cube=True), called="network", axi_clock=axi_clock
        )
