"""Load network: a hypercube of crosspoint routers with join units, each with a load node for packets."""

from __future__ import annotations

from cubecast.golden.crosspoint.twins.load_network import LoadNetwork as Around
from cubecast.golden.reduction.contract.config import ReductionConfig
from cubecast.golden.reduction.twins.network import ReductionNetwork

__all__ = ["LoadNetwork"]


class LoadNetwork(Around):
    """Twin of the load network with join units, whose ports are not touched.

    Parameters
    ----------
    config : ReductionConfig
        Parameters of the nodes.
    probe : bool
        Whether the links can be seen.
    """

    def __init__(self, config: ReductionConfig, probe: bool = False) -> None:
        """Start in reset."""
        super().__init__(config.router, network=ReductionNetwork(config, probe))
