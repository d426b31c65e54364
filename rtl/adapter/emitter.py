"""Emitter: packets for the router, of the words of chunks and of packets to be relayed."""

from amaranth import *
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out
from amaranth.utils import bits_for

from cubecast.golden.adapter.contract.config import AdapterConfig
from cubecast.golden.adapter.contract.word import tag_places
from cubecast.golden.crosspoint.contract.word import Kind
from cubecast.rtl.adapter.stream import Order
from cubecast.rtl.crosspoint.link import Inject

__all__ = ["Emitter"]


class Emitter(wiring.Component):
    """Carry out orders: a packet's words are offered in successive cycles, without a gap to the next packet.

    Parameters
    ----------
    config : AdapterConfig
        Parameters of the node.

    Ports
    -----
    order__*
        What is to be sent; taken with the last word.
    word_row, word : out and in, q + 1 and w
        Bank and number of a word, and the word.
    relay__data, relay__last, relay__error, relay_pop : in, in, in, out, w and 1 and 1 and 1
        The oldest word of the relay store.
    address : in, n
        Strap: the node's address.
    inject__*
        Packets for the router.
    freed, freed_bank : out
        The words of a bank are not needed any more.
    """

    def __init__(self, config: AdapterConfig):
        self.config = config
        super().__init__(
            {
                "order": In(Order(config)),
                "word_row": Out(config.index_bits + 1),
                "word": In(config.width),
                "relay": In(wiring.Signature({"data": Out(config.width), "last": Out(1), "error": Out(1)})),
                "relay_pop": Out(1),
                "address": In(config.dim),
                "inject": Out(Inject(config.router)),
                "freed": Out(1),
                "freed_bank": Out(1),
            }
        )

    def elaborate(self, platform):
        """Build the count of words sent, and the multiplexer of what is sent."""
        m = Module()
        config, order, inject = self.config, self.order, self.inject
        sent, index = Signal(bits_for(config.router.packet_limit)), Signal(config.index_bits)
        ahead, body, last, moved, done = Signal(2), Signal(), Signal(), Signal(), Signal()
        fields = {
            "destination": order.destination,
            "source": self.address,
            "first": order.first,
            "final": order.final,
            "path": Mux(order.kind == Kind.UNICAST, order.r2, 0),
            "ordinal": order.ordinal,
        }
        tag = Cat(fields[name][: place.width] for name, place in tag_places(config).items())
        # Words before the data: a tag, and a bitmap.
        m.d.comb += [
            ahead.eq(Mux(order.kind == Kind.BITMAP, 2, 1)),
            body.eq(sent >= ahead),
            index.eq(sent - ahead),
            last.eq(body & (index == order.count - 1)),
            self.word_row.eq(Cat(index, order.bank)),
            inject.valid.eq(order.valid & order.send),
            inject.r1.eq(order.r1),
            inject.r2.eq(order.r2),
            inject.kind.eq(order.kind),
            moved.eq(inject.ready | ~order.send),
            self.relay_pop.eq(order.valid & order.relay & moved),
            order.ready.eq(done),
            done.eq(order.valid & Mux(order.relay, moved & self.relay.last, ~order.send | (moved & last))),
            self.freed.eq(done & order.release),
            self.freed_bank.eq(order.bank),
        ]
        with m.If(order.relay):
            m.d.comb += [getattr(inject, name).eq(getattr(self.relay, name)) for name in ("data", "last", "error")]
        with m.Else():
            m.d.comb += [
                inject.data.eq(Mux(body, self.word, tag)),
                inject.last.eq(last),
                inject.error.eq(last & order.error),
            ]
            if config.bitmaps:
                with m.If((order.kind == Kind.BITMAP) & (sent == 0)):
                    m.d.comb += inject.data.eq(order.bitmap)
        with m.If(done):
            m.d.sync += sent.eq(0)
        with m.Elif(inject.valid & inject.ready):
            m.d.sync += sent.eq(sent + 1)
        return m
