"""Crosspoint node with AXI4-Stream ports for messages, and AXI4-Lite registers of router and adapter."""

from __future__ import annotations

from cubecast.golden.adapter.contract.axi import axi
from cubecast.golden.adapter.contract.config import AdapterConfig
from cubecast.golden.adapter.twins.node import AdapterNode
from cubecast.golden.common.twins.axi_ports import AxiPorts

__all__ = ["AxiAdapterNode"]


class AxiAdapterNode(AxiPorts):
    """Twin of the crosspoint node with AXI ports, in the clock domain ``clk``, ``rst``.

    Parameters
    ----------
    config : AdapterConfig
        Parameters of the node.

    Source: docs/axi.md.
    """

    def __init__(self, config: AdapterConfig) -> None:
        """Start in reset."""
        self.config = config
        super().__init__(AdapterNode(config), axi(config))
