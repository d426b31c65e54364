"""Network adapter with AXI4-Stream ports for messages, and AXI4-Lite registers."""

from __future__ import annotations

from cubecast.golden.adapter.contract.axi import axi_of_adapter
from cubecast.golden.adapter.contract.config import AdapterConfig
from cubecast.golden.adapter.twins.adapter import Adapter
from cubecast.golden.common.twins.axi_ports import AxiPorts

__all__ = ["AxiAdapter"]


class AxiAdapter(AxiPorts):
    """Twin of the network adapter with AXI ports, in the clock domain ``clk``, ``rst``.

    Parameters
    ----------
    config : AdapterConfig
        Parameters of the node.

    Source: docs/axi.md.
    """

    def __init__(self, config: AdapterConfig) -> None:
        """Start in reset."""
        self.config = config
        super().__init__(Adapter(config), axi_of_adapter(config))
