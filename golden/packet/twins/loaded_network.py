"""Loaded network: a hypercube of packet routers, each with a load node of all routers."""

from __future__ import annotations

from cubecast.golden.common.twins.load_network import AnyLoadNetwork
from cubecast.golden.packet.contract.config import PacketConfig
from cubecast.golden.packet.contract.load import load_shape
from cubecast.golden.packet.twins.load_router import SlotPort
from cubecast.golden.packet.twins.network import PacketNetwork

__all__ = ["LoadedNetwork"]


class LoadedNetwork(AnyLoadNetwork):
    """Twin of the loaded network.

    Parameters
    ----------
    config : PacketConfig
        Parameters of the routers.
    probe : bool
        Whether the links can be seen.
    """

    def __init__(self, config: PacketConfig, probe: bool = False) -> None:
        """Start in reset."""
        ports = [SlotPort(config) for _ in range(config.nodes)]
        inject = {"data": config.width, "last": 1, "slots": config.dim}
        super().__init__(load_shape(config), PacketNetwork(config, probe), ports, inject)
