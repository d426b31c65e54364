"""Packet network: a hypercube of packet routers."""

from cubecast.golden.packet.contract.config import PacketConfig
from cubecast.rtl.common.cube import Cube
from cubecast.rtl.packet.router import PacketRouter, signature

__all__ = ["PacketNetwork"]


class PacketNetwork(Cube):
    """2**n packet routers wired as a :class:`Cube`, whose ports are those of :class:`PacketRouter`, packed.

    Parameters
    ----------
    config : PacketConfig
        Parameters of the routers.
    probe : bool
        Also bring out the links.

    Source: Buzzard 1988, section 5.1 (hypercube of nodes with a router each).
    """

    def __init__(self, config: PacketConfig, *, probe: bool = False):
        super().__init__(PacketRouter, signature(config), config, called="router", probe=probe)
