"""Packet network: a hypercube of 2**n packet routers."""

from __future__ import annotations

from cubecast.golden.common.twins.cube import Cube
from cubecast.golden.packet.contract.config import PacketConfig
from cubecast.golden.packet.contract.packet import KIND_BITS
from cubecast.golden.packet.twins.router import PacketRouter

__all__ = ["PacketNetwork"]


class PacketNetwork(Cube[PacketRouter]):
    """Twin of the packet network, a :class:`Cube`.

    Parameters
    ----------
    config : PacketConfig
        Parameters of the routers.
    probe : bool
        Whether the links can be seen.
    kinds : bool
        Whether packets have a kind.

    Source: Buzzard 1988, section 5.1 (the hypercube) and figure 5.1.
    """

    def __init__(self, config: PacketConfig, probe: bool = False, kinds: bool = False) -> None:
        """Start in reset."""
        self.config = config
        serial, word = config.link == "serial", {"data": config.width, "last": 1}
        super().__init__(
            [PacketRouter(config, address=node, kinds=kinds) for node in range(config.nodes)],
            config,
            inject={**word, "slots": config.dim, **({"kind": KIND_BITS} if kinds else {})},
            ready=config.dim,
            eject={**word, "error": 1},
            link={"line": 1} if serial else {"valid": 1, "head": 1, "data": config.head_bits},
            back={"hold": 1} if serial else {"ready": 1, "refusing": 1},
            probe=probe,
        )
