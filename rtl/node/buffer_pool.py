"""Buffer pool: system buffers, each free, in use or lent."""

from amaranth import *
from amaranth.lib import wiring
from amaranth.lib.enum import Enum
from amaranth.lib.wiring import In, Out
from amaranth.utils import bits_for

from cubecast.golden.node.contract.config import NodeConfig
from cubecast.rtl.node.fifo import Fifo
from cubecast.rtl.node.stream import ADDRESS_BITS

__all__ = ["BufferPool"]


class State(Enum, shape=2):
    """What becomes of a release."""

    IDLE = 0
    DIVIDE = 1
    CHECK = 2


class BufferPool(wiring.Component):
    """Give buffers away and take them back; a release is checked in as many cycles as a number has bits, and one.

    Parameters
    ----------
    config : NodeConfig
        Gives number and size of the buffers.

    Ports
    -----
    enable, base : in, 1 and 32
        The buffers lie in memory from ``base`` on.
    take : in
        ``number`` is in use from now on; not done while ``free`` is 0.
    put, put_number : in
        A buffer in use is free again.
    lend, lend_number : in
        A buffer in use is the processor's until it is released.
    release__valid, release__address, release__ready : in, 1 and 32; out, 1
        The processor gives a buffer back.
    released, accepted : out
        Strobe: that is decided; it was one that was lent.
    free, least : out, bits of 0..B
        Buffers that are free; the fewest there were.
    number, address : out
        The next buffer, and its place.

    Source: Buzzard 1988, section 5.1.1 (system buffer pool).
    """

    def __init__(self, config: NodeConfig):
        self.config = config
        number, count = config.buffer_bits, bits_for(config.buffers)
        super().__init__(
            {
                "enable": In(1),
                "base": In(ADDRESS_BITS),
                "take": In(1),
                "put": In(1),
                "put_number": In(number),
                "lend": In(1),
                "lend_number": In(number),
                "release": In(wiring.Signature({"valid": Out(1), "address": Out(ADDRESS_BITS), "ready": In(1)})),
                "released": Out(1),
                "accepted": Out(1),
                "free": Out(count),
                "least": Out(count, init=config.buffers),
                "number": Out(number),
                "address": Out(ADDRESS_BITS),
            }
        )

    def elaborate(self, platform):
        """Keep numbers that came back in a FIFO; those that were never given away need no place in it."""
        m = Module()
        config = self.config
        count, size = config.buffers, config.buffer_bytes
        fifo = Fifo(m, "back", config.router.memories, shape=config.buffer_bits, depth=max(1, count))
        fresh = Signal(bits_for(count))
        lent = Signal(max(1, count))
        unused, taken = Signal(), Signal()
        state, quotient, bit = Signal(State), Signal(config.buffer_bits), Signal(range(config.buffer_bits))
        rest, part, ok = Signal(ADDRESS_BITS), Signal(ADDRESS_BITS), Signal()
        m.d.comb += [
            unused.eq(fresh < count),
            self.free.eq(Mux(self.enable, fifo.level + count - fresh, 0)),
            self.number.eq(Mux(unused, fresh, fifo.head)),
            self.address.eq(self.base + self.number * size),
            taken.eq(self.take & self.free.any()),
            fifo.pop.eq(taken & ~unused),
            self.release.ready.eq(self.enable & (state == State.IDLE)),
            part.eq(C(size, ADDRESS_BITS) << bit),
            ok.eq(~rest.any() & (quotient < count) & lent.bit_select(quotient, 1)),
            self.released.eq((state == State.CHECK) & ~self.put),
            self.accepted.eq(ok),
            fifo.push.eq((self.put & bool(count)) | (self.released & ok)),
            fifo.data.eq(Mux(self.put, self.put_number, quotient)),
        ]
        with m.If(taken & unused):
            m.d.sync += fresh.eq(fresh + 1)
        with m.If(self.enable & (self.free < self.least)):
            m.d.sync += self.least.eq(self.free)
        with m.If(self.lend):
            m.d.sync += lent.bit_select(self.lend_number, 1).eq(1)
        with m.Switch(state):
            with m.Case(State.IDLE):
                m.d.sync += [
                    rest.eq(self.release.address - self.base),
                    quotient.eq(0),
                    bit.eq(config.buffer_bits - 1),
                ]
                with m.If(self.release.valid & self.release.ready):
                    m.d.sync += state.eq(State.DIVIDE)
            with m.Case(State.DIVIDE):
                with m.If(rest >= part):
                    m.d.sync += [rest.eq(rest - part), quotient.bit_select(bit, 1).eq(1)]
                with m.If(bit == 0):
                    m.d.sync += state.eq(State.CHECK)
                with m.Else():
                    m.d.sync += bit.eq(bit - 1)
            with m.Case(State.CHECK):
                with m.If(self.released):
                    m.d.sync += state.eq(State.IDLE)
                with m.If(self.released & ok):
                    m.d.sync += lent.bit_select(quotient, 1).eq(0)
        return m
