"""Load network: a hypercube of crosspoint routers with join units, each with a load node for packets."""

from cubecast.golden.reduction.contract.config import ReductionConfig
from cubecast.rtl.common.cube import Cube
from cubecast.rtl.reduction.load_router import LoadRouter, signature

__all__ = ["LoadNetwork"]


class LoadNetwork(Cube):
    """2**n load routers wired as a :class:`Cube`, whose ports are those of :class:`LoadRouter`, packed.

    Parameters
    ----------
    config : ReductionConfig
        Parameters of the nodes, such that load nodes can be made for their routers.
    probe : bool
        Also bring out the links.

    Raises
    ------
    ValueError
        The nodes have operators of their own.
    """

    def __init__(self, config: ReductionConfig, *, probe: bool = False):
        config.without_operators()
        super().__init__(LoadRouter, signature(config), config, called="load_router", probe=probe)
