"""Crosspoint node with AXI4-Stream ports for messages, and AXI4-Lite registers of router and adapter."""

from cubecast.golden.adapter.contract.axi import axi
from cubecast.golden.adapter.contract.config import AdapterConfig
from cubecast.rtl.adapter.node import AdapterNode, signature
from cubecast.rtl.common.axi_ports import AxiPorts

__all__ = ["AxiAdapterNode"]


class AxiAdapterNode(AxiPorts):
    """Crosspoint node whose processor's side is AXI; see :class:`AxiPorts`.

    The stream ``s_axis`` takes messages of the node; tuser is error (with tlast). ``m_axis`` has words for it: tid is
    the message's source; tuser, from bit 0 on: error (with tlast), first, path, more with ``reassemble``, ordinal. The
    slave ``s_axi`` has the registers of the router, ``s_axi_adapter`` those of the adapter.

    Source: AMBA AXI4-Stream and AXI4-Lite.
    """

    def __init__(self, config: AdapterConfig, axi_clock: bool = False):
        super().__init__(AdapterNode, signature(config), config, axi(config), called="node", axi_clock=axi_clock)
