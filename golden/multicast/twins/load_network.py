"""Load network: a hypercube of multicast routers, each with a load node."""

from __future__ import annotations

from cubecast.golden.common.twins.load_network import AnyLoadNetwork
from cubecast.golden.multicast.contract.config import Config
from cubecast.golden.multicast.contract.load import load_shape
from cubecast.golden.multicast.twins.load_router import HeaderPort
from cubecast.golden.multicast.twins.network import Network

__all__ = ["LoadNetwork"]


class LoadNetwork(AnyLoadNetwork):
    """Twin of the load network.

    Parameters
    ----------
    config : Config
        Parameters of the routers.
    probe : bool
        Whether the links can be seen.
    """

    def __init__(self, config: Config, probe: bool = False) -> None:
        """Start in reset."""
        ports = [HeaderPort(config) for _ in range(config.nodes)]
        super().__init__(
            load_shape(config), Network(config, probe), ports, {"data": config.width, "last": 1, "error": 1}
        )
