"""AXI ports of the crosspoint router and of its network."""

from __future__ import annotations

from cubecast.golden.common.contract.axi import Axi, of_router
from cubecast.golden.crosspoint.contract.config import CrosspointConfig
from cubecast.golden.crosspoint.contract.word import KIND_BITS

__all__ = ["axi"]


def axi(config: CrosspointConfig, *, cube: bool = False) -> Axi:
    """Return what the AXI ports of a crosspoint router, or of a network, stand for."""
    kind = ("kind", KIND_BITS)
    header = (("r1", config.dim), ("r2", config.dim), kind)
    return of_router(config.control, config.width, config.nodes if cube else 0, sent=header, delivered=(kind,))
