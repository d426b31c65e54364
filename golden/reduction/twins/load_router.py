"""Load router: a crosspoint router with its join unit, and a load node for packets at its ports."""

from __future__ import annotations

from cubecast.golden.crosspoint.twins.load_router import LoadRouter as Around
from cubecast.golden.reduction.contract.config import ReductionConfig
from cubecast.golden.reduction.twins.router import ReductionRouter

__all__ = ["LoadRouter"]


class LoadRouter(Around):
    """Twin of the load router with a join unit, whose ports are not touched.

    Parameters
    ----------
    config : ReductionConfig
        Parameters of the node.
    """

    def __init__(self, config: ReductionConfig) -> None:
        """Start in reset."""
        super().__init__(config.router, ReductionRouter(config))
