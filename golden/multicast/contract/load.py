"""Load of multicast routers: what their load nodes have to know of them."""

from __future__ import annotations

from cubecast.golden.common.contract.load import LEAST_NUMBER_BITS, LoadShape
from cubecast.golden.multicast.contract.config import Config

__all__ = ["load_shape"]

MOST = 255
"""Words of a message that a load node sends at once, at most."""


def load_shape(config: Config) -> LoadShape:
    """Return what a load node beside such a router is made for; a list is one block, and goes in one header.

    Raises
    ------
    ValueError
        Words are too narrow, or messages carry none.
    """
    least = config.dim + LEAST_NUMBER_BITS
    if config.width < least:
        raise ValueError(f"width must be an integer from {least} to 512 where load is measured, not {config.width}")
    if config.max_data < 1:
        raise ValueError(f"max_data must be an integer from 1 to 4096 where load is measured, not {config.max_data}")
    return LoadShape(
        dim=config.dim,
        width=config.width,
        packet_limit=min(config.max_data, MOST),
        block_dims=config.dim,
        tables=config.fault_tolerant,
        # Control or S, and the source field.
        lead=1 + config.source_field,
    )
