"""Load router: a multicast router with a load node at its ports."""

from __future__ import annotations

from cubecast.golden.common.contract.load import Kind
from cubecast.golden.common.twins.load_node import Offer
from cubecast.golden.common.twins.load_router import AnyLoadRouter, Injected, LoadPort
from cubecast.golden.common.twins.ports import bits
from cubecast.golden.multicast.contract.config import Config
from cubecast.golden.multicast.contract.load import load_shape
from cubecast.golden.multicast.contract.message import encode
from cubecast.golden.multicast.twins.router import Router

__all__ = ["HeaderPort", "LoadRouter"]


class HeaderPort(LoadPort):
    """Puts the header before the words of each packet.

    Parameters
    ----------
    config : Config
        Parameters of the router.
    """

    def __init__(self, config: Config) -> None:
        """Start in reset."""
        self._config = config
        self.reset()

    def reset(self) -> None:
        """Set all registers to their reset values."""
        # Words of the header that have gone out.
        self.gone = 0

    def inject(self, address: int, offered: Offer, ready: int) -> Injected:
        """Return what the router is offered."""
        header = self._header(address, offered)
        if self.gone < len(header):
            return Injected({"data": header[self.gone], "last": 0, "error": 0}, ready, 1)
        return Injected({"data": offered.data, "last": offered.last, "error": 0}, ready, 0)

    def _header(self, address: int, offered: Offer) -> list[int]:
        """Return the words of the header of a packet."""
        if offered.kind == Kind.ALL or offered.block.bit_count() == self._config.broadcast_k:
            return encode(self._config, address, None)
        relative = bits(offered.block) if offered.kind == Kind.LIST else [offered.r1 ^ offered.r2]
        return encode(self._config, address, [address ^ each for each in relative])

    def edge(self, offered: Offer, injected: Injected) -> None:
        """Take the edge of a cycle in which the load node offers a word."""
        if injected.ready:
            self.gone = 0 if injected.word["last"] else self.gone + injected.heading


class LoadRouter(AnyLoadRouter):
    """Twin of the load router.

    Parameters
    ----------
    config : Config
        Parameters of the router.
    """

    def __init__(self, config: Config) -> None:
        """Start in reset."""
        super().__init__(load_shape(config), Router(config), HeaderPort(config))
