"""Load of crosspoint routers: what their load nodes have to know of them."""

from __future__ import annotations

from cubecast.golden.common.contract.load import LoadShape
from cubecast.golden.crosspoint.contract.config import CrosspointConfig

__all__ = ["load_shape"]


def load_shape(config: CrosspointConfig) -> LoadShape:
    """Return what a load node beside such a router is made for; its kinds have the codes of the router's.

    Raises
    ------
    ValueError
        Words are too narrow, or packets too short or too long.
    """
    return LoadShape(
        dim=config.dim,
        width=config.width,
        packet_limit=config.packet_limit,
        block_dims=config.bitmap_dims,
        runs=config.runs,
        multicast=config.multicast,
        tables=config.fault_tolerant,
        bitmaps=True,
    )
