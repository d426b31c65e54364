"""Loaded network: a hypercube of packet routers, each with a load node of all routers."""

from cubecast.golden.packet.contract.config import PacketConfig
from cubecast.rtl.common.cube import Cube
from cubecast.rtl.packet.load_router import LoadRouter, signature

__all__ = ["LoadedNetwork"]


class LoadedNetwork(Cube):
    """2**n load routers; the link out of node v in dimension j leads to node v XOR 2**j.

    Every port is a packed vector over all nodes, with node v's value as item v: those of the load nodes, control ports
    and reports. Kind of ``sent``, and the payload of reports, read 0 while their valid bit is 0.

    Parameters
    ----------
    config : PacketConfig
        Parameters of the routers, such that a load node can be made for them.
    probe : bool
        Also bring out the links.
    """

    def __init__(self, config: PacketConfig, *, probe: bool = False):
        super().__init__(LoadRouter, signature(config), config, called="load_router", probe=probe)
