"""Router with AXI4-Stream local ports and an AXI4-Lite control port."""

from __future__ import annotations

from cubecast.golden.common.twins.axi_ports import AxiPorts
from cubecast.golden.multicast.contract.axi import axi
from cubecast.golden.multicast.contract.config import Config
from cubecast.golden.multicast.twins.router import Router

__all__ = ["AxiRouter"]


class AxiRouter(AxiPorts):
    """Twin of the router with AXI ports, in the clock domain ``clk``, ``rst``.

    Parameters
    ----------
    config : Config
        Parameters of the router.

    Source: docs/axi.md.
    """

    def __init__(self, config: Config) -> None:
        """Start in reset."""
        self.config = config
        super().__init__(Router(config), axi(config))
