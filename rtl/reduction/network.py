"""Network of reduction routers: a hypercube of crosspoint routers with join units."""

from cubecast.golden.reduction.contract.config import ReductionConfig
from cubecast.rtl.common.cube import Cube
from cubecast.rtl.reduction.router import ReductionRouter, signature

__all__ = ["ReductionNetwork"]


class ReductionNetwork(Cube):
    """2**n reduction routers wired as a :class:`Cube`, whose ports are those of :class:`ReductionRouter`, packed.

    Parameters
    ----------
    config : ReductionConfig
        Parameters of the nodes.
    probe : bool
        Also bring out the links.
    """

    def __init__(self, config: ReductionConfig, *, probe: bool = False):
        super().__init__(
            ReductionRouter, signature(config), config, called="router", probe=probe, payload=("a", "b", "rop")
        )
