"""AXI ports of the multicast router and of its network."""

from __future__ import annotations

from cubecast.golden.common.contract.axi import Axi, of_router
from cubecast.golden.multicast.contract.config import Config

__all__ = ["axi"]


def axi(config: Config, *, cube: bool = False) -> Axi:
    """Return what the AXI ports of a router, or of a network, stand for."""
    return of_router(config.control, config.width, config.nodes if cube else 0)
