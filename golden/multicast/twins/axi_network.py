"""Network of routers with AXI ports at every node."""

from __future__ import annotations

from cubecast.golden.common.twins.axi_ports import AxiPorts
from cubecast.golden.multicast.contract.axi import axi
from cubecast.golden.multicast.contract.config import Config
from cubecast.golden.multicast.twins.network import Network

__all__ = ["AxiNetwork"]


class AxiNetwork(AxiPorts):
    """Twin of the network with AXI ports, in the clock domain ``clk``, ``rst``.

    Parameters
    ----------
    config : Config
        Parameters of the routers.

    Source: docs/axi.md.
    """

    def __init__(self, config: Config) -> None:
        """Start in reset."""
        self.config = config
        super().__init__(Network(config), axi(config, cube=True))
