"""AXI ports of the packet router and of its network."""

from __future__ import annotations

from cubecast.golden.common.contract.axi import Axi, of_router
from cubecast.golden.packet.contract.config import PacketConfig

__all__ = ["axi"]


def axi(config: PacketConfig, *, cube: bool = False) -> Axi:
    """Return what the AXI ports of a packet router, or of a network, stand for."""
    return of_router(config.control, config.width, config.nodes if cube else 0, slots=config.dim)
