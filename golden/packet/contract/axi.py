"""AXI ports of the packet router and of its network."""

from __future__ import annotations

from cubecast.golden.common.contract.axi import Axi, Stream, router_slave
from cubecast.golden.packet.contract.config import PacketConfig

__all__ = ["axi"]


def axi(config: PacketConfig, *, cube: bool = False) -> Axi:
    """Return what the AXI ports of a packet router, or of a network, stand for."""
    return Axi(
        streams=(
            Stream(port="inject", prefix="s_axis", into=True, width=config.width, slots=config.dim),
            Stream(port="eject", prefix="m_axis", into=False, width=config.width),
        ),
        slaves=(router_slave(config.control),),
        nodes=config.nodes if cube else 0,
    )
