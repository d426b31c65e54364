"""Load router: a packet router with a load node of all routers at its ports."""

from __future__ import annotations

from cubecast.golden.common.contract.load import Kind
from cubecast.golden.common.twins.load_node import Offer
from cubecast.golden.common.twins.load_router import AnyLoadRouter, Injected, LoadPort
from cubecast.golden.packet.contract.config import PacketConfig
from cubecast.golden.packet.contract.load import load_shape
from cubecast.golden.packet.twins.router import PacketRouter

__all__ = ["LoadRouter", "SlotPort"]


class SlotPort(LoadPort):
    """Chooses the buffer slots of a message, and puts the destination before each of its packets.

    Parameters
    ----------
    config : PacketConfig
        Parameters of the router.
    """

    def __init__(self, config: PacketConfig) -> None:
        """Start in reset."""
        self._all = config.nodes - 1
        self._adaptive = config.routing == "quasi-adaptive"
        self.reset()

    def reset(self) -> None:
        """Set all registers to their reset values."""
        # The slots of the message that is being sent, None between messages.
        self.slots: int | None = None

    def inject(self, address: int, offered: Offer, ready: int) -> Injected:
        """Return what the router is offered; the router takes it when all slots do."""
        destination = address if offered.kind == Kind.ALL else address ^ offered.r1 ^ offered.r2
        slots = self._choose(address ^ destination, ready) if self.slots is None else self.slots
        taken = int(slots & ready == slots)
        if offered.headed:
            return Injected({"data": offered.data, "last": offered.last, "slots": slots}, taken, 0)
        return Injected({"data": destination, "last": 0, "slots": slots}, taken, 1)

    def _choose(self, useful: int, ready: int) -> int:
        """Return the slots of a message: all for a broadcast, else one."""
        if not useful:
            return self._all
        free = useful & ready if self._adaptive else 0
        return (free or useful) & -(free or useful)

    def edge(self, offered: Offer, injected: Injected) -> None:
        """Take the edge of a cycle in which the load node offers a word."""
        if injected.ready:
            over = offered.final and not injected.heading
            self.slots = None if over else injected.word["slots"]


class LoadRouter(AnyLoadRouter):
    """Twin of the load router.

    Parameters
    ----------
    config : PacketConfig
        Parameters of the router.
    """

    def __init__(self, config: PacketConfig) -> None:
        """Start in reset."""
        super().__init__(load_shape(config), PacketRouter(config), SlotPort(config))
