"""Load network: a hypercube of multicast routers, each with a load node."""

from cubecast.golden.multicast.contract.config import Config
from cubecast.rtl.common.cube import Cube
from cubecast.rtl.multicast.load_router import LoadRouter, signature

__all__ = ["LoadNetwork"]


class LoadNetwork(Cube):
    """2**n load routers; the link out of node v in dimension j leads to node v XOR 2**j.

    Every port is a packed vector over all nodes, with node v's value as item v: those of the load nodes, control ports
    and reports. The payload of reports reads 0 while their valid bit is 0.

    Parameters
    ----------
    config : Config
        Parameters of the routers, such that a load node can be made for them.
    probe : bool
        Also bring out the links.
    """

    def __init__(self, config: Config, *, probe: bool = False):
        super().__init__(LoadRouter, signature(config), config, called="load_router", probe=probe)
