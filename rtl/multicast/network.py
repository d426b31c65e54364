"""Network: a hypercube of routers."""

from cubecast.golden.multicast.contract.config import Config
from cubecast.rtl.common.cube import Cube
from cubecast.rtl.multicast.router import Router, signature

__all__ = ["Network"]


class Network(Cube):
    """2**n routers wired as a :class:`Cube`, whose ports are those of :class:`Router`, packed.

    Parameters
    ----------
    config : Config
        Parameters of the routers.
    probe : bool
        Also bring out the links.

    Source: Lan 1988, section 2.3 (hypercube), figures 2.1 and 2.2.
    """

    def __init__(self, config: Config, *, probe: bool = False):
        super().__init__(Router, signature(config), config, called="router", probe=probe)
