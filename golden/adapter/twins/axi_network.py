"""Network of crosspoint nodes with AXI ports at every node."""

from __future__ import annotations

from cubecast.golden.adapter.contract.axi import axi
from cubecast.golden.adapter.contract.config import AdapterConfig
from cubecast.golden.adapter.twins.network import AdapterNetwork
from cubecast.golden.common.twins.axi_ports import AxiPorts

__all__ = ["AxiAdapterNetwork"]


class AxiAdapterNetwork(AxiPorts):
    """Twin of the network of nodes with AXI ports, in the clock domain ``clk``, ``rst``.

    Parameters
    ----------
    config : AdapterConfig
        Parameters of the nodes.

    Source: docs/axi.md.
    """

    def __init__(self, config: AdapterConfig) -> None:
        """Start in reset."""
        self.config = config
        super().__init__(AdapterNetwork(config), axi(config, cube=True))
