"""Network adapter with AXI4-Stream ports for messages, and AXI4-Lite registers."""

from cubecast.golden.adapter.contract.axi import axi_of_adapter
from cubecast.golden.adapter.contract.config import AdapterConfig
from cubecast.rtl.adapter.adapter import Adapter, signature
from cubecast.rtl.common.axi_ports import AxiPorts

__all__ = ["AxiAdapter"]


class AxiAdapter(AxiPorts):
    """Network adapter whose processor's side is AXI; see :class:`AxiPorts`.

    The streams ``s_axis`` and ``m_axis`` are those of :class:`cubecast.rtl.adapter.axi_node.AxiAdapterNode`; the slave
    ``s_axi`` has the registers.

    Source: AMBA AXI4-Stream and AXI4-Lite.
    """

    def __init__(self, config: AdapterConfig, axi_clock: bool = False):
        ports = axi_of_adapter(config)
        super().__init__(Adapter, signature(config), config, ports, called="adapter", axi_clock=axi_clock)
