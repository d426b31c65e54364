"""Collective network: a hypercube of collective nodes."""

from cubecast.golden.collective.contract.config import CollectiveConfig
from cubecast.rtl.collective.node import CollectiveNode, signature
from cubecast.rtl.common.cube import Cube

__all__ = ["CollectiveNetwork"]


class CollectiveNetwork(Cube):
    """2**n collective nodes wired as a :class:`Cube`, whose ports are those of :class:`CollectiveNode`, packed.

    Parameters
    ----------
    config : CollectiveConfig
        Parameters of the nodes.
    probe : bool
        Also bring out the links.

    Source: Lan 1988, section 2.3 (hypercube); Leu and Kuo.
    """

    def __init__(self, config: CollectiveConfig, *, probe: bool = False):
        super().__init__(CollectiveNode, signature(config), config, probe=probe)
