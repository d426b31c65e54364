"""Registers behind the AXI4-Lite slave of a node: the router's, the node interface's, and doorbells."""

from __future__ import annotations

from cubecast.golden.common.contract.axi import Registers, registers_with
from cubecast.golden.common.contract.control import register_map as of_router
from cubecast.golden.node.contract.config import NodeConfig
from cubecast.golden.node.contract.registers import ADDRESS_BITS, register_map

__all__ = ["registers"]


def registers(config: NodeConfig) -> Registers:
    """Return where registers are, and which can be written: doorbells are written where their places are read.

    Parameters
    ----------
    config : NodeConfig
        Parameters of the node.
    """
    return registers_with(ADDRESS_BITS, (*of_router(config.router.control), *register_map(config, doorbells=True)))
