"""Crosspoint network: a hypercube of crosspoint routers."""

from cubecast.golden.crosspoint.contract.config import CrosspointConfig
from cubecast.rtl.common.cube import Cube
from cubecast.rtl.crosspoint.router import CrosspointRouter, signature

__all__ = ["CrosspointNetwork"]


class CrosspointNetwork(Cube):
    """2**n crosspoint routers wired as a :class:`Cube`, whose ports are those of :class:`CrosspointRouter`, packed.

    Parameters
    ----------
    config : CrosspointConfig
        Parameters of the routers.
    probe : bool
        Also bring out the links.
    """

    def __init__(self, config: CrosspointConfig, *, probe: bool = False):
        super().__init__(CrosspointRouter, signature(config), config, called="router", probe=probe)
