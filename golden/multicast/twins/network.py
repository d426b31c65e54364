"""Network: a hypercube of 2**n routers."""

from __future__ import annotations

from typing import Any

from cubecast.golden.common.twins.cube import Cube
from cubecast.golden.multicast.contract.config import Config
from cubecast.golden.multicast.twins.router import Router

__all__ = ["Network", "wires"]


def wires(config: Config) -> dict[str, Any]:
    """Return what a :class:`Cube` has to know of local ports and links of these routers."""
    word = {"data": config.width, "last": 1, "error": 1}
    return {
        "inject": word,
        "eject": word,
        "link": {"valid": 1, **word, "lane": config.lane_bits},
        "back": {"ready": config.lanes},
        "down": config.fault_tolerant,
    }


class Network(Cube[Router]):
    """Twin of the network, a :class:`Cube`.

    Parameters
    ----------
    config : Config
        Parameters of the routers.
    probe : bool
        Whether the links can be seen.

    Source: Lan 1988, section 2.3 (the hypercube) and section 6.3.
    """

    def __init__(self, config: Config, probe: bool = False) -> None:
        """Start in reset."""
        self.config = config
        routers = [Router(config, address=node) for node in range(config.nodes)]
        super().__init__(routers, config, probe=probe, **wires(config))
