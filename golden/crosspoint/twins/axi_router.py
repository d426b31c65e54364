"""Crosspoint router with AXI4-Stream ports and an AXI4-Lite control port."""

from __future__ import annotations

from cubecast.golden.common.twins.axi_ports import AxiPorts
from cubecast.golden.crosspoint.contract.axi import axi
from cubecast.golden.crosspoint.contract.config import CrosspointConfig
from cubecast.golden.crosspoint.twins.router import CrosspointRouter

__all__ = ["AxiCrosspointRouter"]


class AxiCrosspointRouter(AxiPorts):
    """Twin of the crosspoint router with AXI ports, in the clock domain ``clk``, ``rst``.

    Parameters
    ----------
    config : CrosspointConfig
        Parameters of the router.

    Source: docs/axi.md.
    """

    def __init__(self, config: CrosspointConfig) -> None:
        """Start in reset."""
        self.config = config
        super().__init__(CrosspointRouter(config), axi(config))
