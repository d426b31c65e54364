"""AXI ports of the collective node and of its network."""

from __future__ import annotations

import dataclasses

from cubecast.golden.collective.contract.config import CollectiveConfig
from cubecast.golden.collective.contract.registers import ADDRESS_BITS, register_map
from cubecast.golden.common.contract.axi import Axi, Slave, Stream, registers_with
from cubecast.golden.multicast.contract.axi import axi as of_router

__all__ = ["axi"]


def axi(config: CollectiveConfig, *, cube: bool = False) -> Axi:
    """Return what the AXI ports of a node, or of a network, stand for: those of the router, vectors, registers."""
    router = of_router(config.router, cube=cube)
    registers = registers_with(ADDRESS_BITS, register_map(config))
    return Axi(
        streams=(
            *(each if each.into else dataclasses.replace(each, kept=True) for each in router.streams),
            Stream(port="vector_in", prefix="s_axis_vector", into=True, width=config.width),
            Stream(port="vector_out", prefix="m_axis_vector", into=False, width=config.width, kept=True),
        ),
        slaves=(*router.slaves, Slave(port="collective", prefix="s_axi_collective", config=registers)),
        nodes=router.nodes,
    )
