"""Load network: a hypercube of crosspoint routers, each with a load node."""

from cubecast.golden.crosspoint.contract.config import CrosspointConfig
from cubecast.rtl.common.cube import Cube
from cubecast.rtl.crosspoint.load_router import LoadRouter, signature

__all__ = ["LoadNetwork"]


class LoadNetwork(Cube):
    """2**n load routers; the link out of node v in dimension j leads to node v XOR 2**j.

    Every port is a packed vector over all nodes, with node v's value as item v: those of the load nodes, control ports
    and reports. Data and kind of ``sent``, and the payload of reports, read 0 while their valid bit is 0.

    Parameters
    ----------
    config : CrosspointConfig
        Parameters of the routers, such that a load node can be made for them.
    probe : bool
        Also bring out the links.
    """

    def __init__(self, config: CrosspointConfig, *, probe: bool = False):
        super().__init__(LoadRouter, signature(config), config, called="load_router", probe=probe)
