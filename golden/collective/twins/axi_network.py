"""Network of collective nodes with AXI ports at every node."""

from __future__ import annotations

from cubecast.golden.collective.contract.axi import axi
from cubecast.golden.collective.contract.config import CollectiveConfig
from cubecast.golden.collective.twins.network import CollectiveNetwork
from cubecast.golden.common.twins.axi_ports import AxiPorts

__all__ = ["AxiCollectiveNetwork"]


class AxiCollectiveNetwork(AxiPorts):
    """Twin of the collective network with AXI ports, in the clock domain ``clk``, ``rst``.

    Parameters
    ----------
    config : CollectiveConfig
        Parameters of the nodes.

    Source: docs/axi.md.
    """

    def __init__(self, config: CollectiveConfig) -> None:
        """Start in reset."""
        self.config = config
        super().__init__(CollectiveNetwork(config), axi(config, cube=True))
