"""Load network: a hypercube of crosspoint routers, each with a load node."""

from __future__ import annotations

from typing import Any

from cubecast.golden.common.twins.load_network import AnyLoadNetwork
from cubecast.golden.common.twins.load_router import LoadPort
from cubecast.golden.crosspoint.contract.config import CrosspointConfig
from cubecast.golden.crosspoint.contract.load import load_shape
from cubecast.golden.crosspoint.contract.word import KIND_BITS
from cubecast.golden.crosspoint.twins.network import CrosspointNetwork

__all__ = ["LoadNetwork"]


class LoadNetwork(AnyLoadNetwork):
    """Twin of the load network.

    Parameters
    ----------
    config : CrosspointConfig
        Parameters of the routers.
    probe : bool
        Whether the links can be seen.
    network : twin, optional
        The network, if it is another one than one of crosspoint routers alone.
    """

    def __init__(self, config: CrosspointConfig, probe: bool = False, network: Any = None) -> None:
        """Start in reset."""
        n = config.dim
        inject = {"data": config.width, "last": 1, "error": 1, "r1": n, "r2": n, "kind": KIND_BITS}
        ports = [LoadPort()] * config.nodes
        super().__init__(load_shape(config), network or CrosspointNetwork(config, probe), ports, inject)
        self.config = config
