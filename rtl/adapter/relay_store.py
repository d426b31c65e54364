"""Relay store: packets of other nodes that are to be sent on."""

from amaranth import *
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out
from amaranth.utils import bits_for

from cubecast.golden.adapter.contract.config import AdapterConfig
from cubecast.rtl.common.instance import place
from cubecast.rtl.crosspoint.queue import Queue

__all__ = ["RelayStore"]


class RelayStore(wiring.Component):
    """Keep whole packets until they are sent; one whose last word comes in cycle t is offered from t + 1 on.

    Parameters
    ----------
    config : AdapterConfig
        Gives the width of a word, the longest packet and the depth.

    Ports
    -----
    push, data, last, error : in, 1 and w and 1 and 1
        Append a word.
    room : out
        A packet of the greatest length has room.
    relay__valid, relay__destination : out, 1 and n
        A packet is whole and waits.
    taken : in
        It is planned.
    relay__data, relay__last, relay__error, pop : out, out, out, in, w and 1 and 1 and 1
        The oldest word.
    """

    def __init__(self, config: AdapterConfig):
        self.config = config
        relay = {"valid": 1, "destination": config.dim, "data": config.width, "last": 1, "error": 1}
        super().__init__(
            {
                "push": In(1),
                "data": In(config.width),
                "last": In(1),
                "error": In(1),
                "room": Out(1),
                "relay": Out(wiring.Signature({name: Out(bits) for name, bits in relay.items()})),
                "taken": In(1),
                "pop": In(1),
            }
        )

    def elaborate(self, platform):
        """Count the packets that are whole."""
        m = Module()
        queue = place(m, "queue", Queue, self.config.relay_shape)
        whole, sending = Signal(bits_for(self.config.router.depth)), Signal()
        m.d.comb += [
            queue.push.eq(self.push),
            queue.data.eq(Cat(self.data, self.last, self.error)),
            queue.pop.eq(self.pop),
            self.room.eq(queue.room),
            Cat(self.relay.data, self.relay.last, self.relay.error).eq(queue.o),
            self.relay.valid.eq(whole.any() & ~sending),
            self.relay.destination.eq(queue.o),
        ]
        m.d.sync += whole.eq(whole + (self.push & self.last) - self.taken)
        with m.If(self.taken):
            m.d.sync += sending.eq(1)
        with m.Elif(self.pop & self.relay.last):
            m.d.sync += sending.eq(0)
        return m
