"""Network of crosspoint routers with AXI ports at every node."""

from __future__ import annotations

from cubecast.golden.common.twins.axi_ports import AxiPorts
from cubecast.golden.crosspoint.contract.axi import axi
from cubecast.golden.crosspoint.contract.config import CrosspointConfig
from cubecast.golden.crosspoint.twins.network import CrosspointNetwork

__all__ = ["AxiCrosspointNetwork"]


class AxiCrosspointNetwork(AxiPorts):
    """Twin of the crosspoint network with AXI ports, in the clock domain ``clk``, ``rst``.

    Parameters
    ----------
    config : CrosspointConfig
        Parameters of the routers.

    Source: docs/axi.md.
    """

    def __init__(self, config: CrosspointConfig) -> None:
        """Start in reset."""
        self.config = config
        super().__init__(CrosspointNetwork(config), axi(config, cube=True))
