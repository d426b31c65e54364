"""Collective node with AXI4-Stream local ports and AXI4-Lite registers."""

from __future__ import annotations

from cubecast.golden.collective.contract.axi import axi
from cubecast.golden.collective.contract.config import CollectiveConfig
from cubecast.golden.collective.twins.node import CollectiveNode
from cubecast.golden.common.twins.axi_ports import AxiPorts

__all__ = ["AxiCollectiveNode"]


class AxiCollectiveNode(AxiPorts):
    """Twin of the collective node with AXI ports, in the clock domain ``clk``, ``rst``.

    Parameters
    ----------
    config : CollectiveConfig
        Parameters of the node.

    Source: docs/axi.md.
    """

    def __init__(self, config: CollectiveConfig) -> None:
        """Start in reset."""
        self.config = config
        super().__init__(CollectiveNode(config), axi(config))
