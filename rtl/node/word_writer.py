"""Word writer: words of packets, written to memory."""

from amaranth import *
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

from cubecast.golden.node.contract.block import LENGTH_BITS
from cubecast.golden.node.contract.config import NodeConfig
from cubecast.rtl.node.stream import ADDRESS_BITS, STROBES, WORD_BITS, Write

__all__ = ["WordWriter"]

MOST = 32
"""Writes that may wait for their acknowledgement."""


class WordWriter(wiring.Component):
    """Write as many bytes of a packet as there is room for; words of 16 bits go in pairs.

    A word taken in cycle t is offered to the memory in cycle t + 1, one cycle after its pair at the latest.

    Parameters
    ----------
    config : NodeConfig
        Gives the width of a word.

    Ports
    -----
    open, open_address, open_bytes : in, 1 and 32 and 20
        The words that follow go there, that many bytes of them; only while nothing is
        ``waiting``.
    i__valid, i__data, i__last, i__ready : 1, W, 1, 1
        Words of a packet.
    writer__valid, writer__address, writer__data, writer__strobe, writer__ready : 1, 30, 32, 4, 1
        Words to be written.
    written, write_error : in
        A word has been written, or could not be.
    idle : out
        All words have been given to the memory.
    waiting : out, 6
        Words that are not acknowledged.
    error : out
        A word could not be written since ``open``.

    Source: Buzzard 1988, section 5.4.6 (words of 16 bits go in pairs).
    """

    def __init__(self, config: NodeConfig):
        self.config = config
        stream = {"valid": Out(1), "data": Out(config.width), "last": Out(1), "ready": In(1)}
        super().__init__(
            {
                "open": In(1),
                "open_address": In(ADDRESS_BITS),
                "open_bytes": In(LENGTH_BITS),
                "i": In(wiring.Signature(stream)),
                "writer": Out(Write()),
                "written": In(1),
                "write_error": In(1),
                "idle": Out(1),
                "waiting": Out(range(MOST + 1)),
                "error": Out(1),
            }
        )

    def elaborate(self, platform):
        """Pair words, and count writes until they are acknowledged."""
        m = Module()
        size, writer = self.config.word_bytes, self.writer
        at, left = Signal(ADDRESS_BITS), Signal(LENGTH_BITS)
        taken, write = Signal(), Signal()
        strobe, over = Signal(size), Signal(LENGTH_BITS)
        m.d.comb += [
            self.i.ready.eq((~writer.valid | writer.ready) & (self.waiting != MOST)),
            taken.eq(self.i.valid & self.i.ready),
            strobe.eq(Cat(left > byte for byte in range(size))),
            over.eq(Mux(left > size, left - size, 0)),
        ]
        data, strobes = Signal(WORD_BITS), Signal(STROBES)
        if size == STROBES:
            m.d.comb += [
                data.eq(self.i.data),
                strobes.eq(strobe),
                write.eq(taken & strobe.any()),
                self.idle.eq(~writer.valid),
            ]
        else:
            self._paired(m, at[1], taken, strobe, over, data, strobes, write)
        with m.If(self.open):
            m.d.sync += [at.eq(self.open_address), left.eq(self.open_bytes)]
        with m.Elif(taken):
            m.d.sync += [at.eq(at + size), left.eq(over)]
        with m.If(write):
            m.d.sync += [writer.valid.eq(1), writer.address.eq(at[2:]), writer.data.eq(data), writer.strobe.eq(strobes)]
        with m.Elif(writer.ready):
            m.d.sync += writer.valid.eq(0)
        # What is written is known late: it enables, and is not added.
        with m.If(write ^ self.written):
            m.d.sync += self.waiting.eq(self.waiting + Mux(self.written, -1, 1))
        with m.If(self.open):
            m.d.sync += self.error.eq(0)
        with m.Elif(self.written & self.write_error):
            m.d.sync += self.error.eq(1)
        return m

    def _paired(self, m, upper, taken, strobe, over, data, strobes, write):
        """Keep a lower half until its upper half comes, or nothing more."""
        low, low_valid, alone = Signal(self.config.width), Signal(), Signal()
        m.d.comb += [
            self.idle.eq(~self.writer.valid & ~low_valid),
            alone.eq(~upper & (self.i.last | (over == 0))),
            data.eq(Mux(upper, Cat(low, self.i.data), self.i.data)),
            strobes.eq(Mux(upper, Cat(low_valid.replicate(2), strobe), strobe)),
            write.eq(taken & strobes.any() & (upper | alone)),
        ]
        with m.If(taken):
            m.d.sync += low_valid.eq(~upper & ~alone & strobe.any())
        with m.If(taken & ~upper & ~alone):
            m.d.sync += low.eq(self.i.data)
        with m.If(self.open):
            m.d.sync += low_valid.eq(0)
