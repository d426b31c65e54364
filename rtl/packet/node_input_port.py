"""Node input port: the FIFO between the crossbar and the node."""

from amaranth import *
from amaranth.lib import data, wiring
from amaranth.lib.wiring import In, Out

from cubecast.golden.packet.contract.config import PacketConfig
from cubecast.rtl.common.pointed_memory import PointedMemory
from cubecast.rtl.packet.link import Flit, Words

__all__ = ["NodeInputPort"]


class NodeInputPort(wiring.Component):
    """Keep the words of packets for the node until it takes them; a word can be taken in the cycle after it came.

    Parameters
    ----------
    config : PacketConfig
        Parameters of the router.

    Ports
    -----
    i__valid, i__head, i__last, i__bad, i__data, i__ready
        Flits from the crossbar; always taken.
    open : out
        There is room for one more packet, beside what may still come of the one before.
    eject__valid, eject__data, eject__last, eject__error, eject__ready
        Words for the node: destination, source word, data. ``error``, with ``last``: the packet ended early.

    Source: Buzzard 1988, section 5.4.5, figure 5.8.
    """

    def __init__(self, config: PacketConfig):
        self.config = config
        super().__init__({"i": In(Flit(config)), "open": Out(1), "eject": Out(Words(config))})

    def elaborate(self, platform):
        """Build the FIFO."""
        m = Module()
        depth, width = self.config.fifo_depth, self.config.width
        shape = data.StructLayout({"data": width, "last": 1, "error": 1})
        words = PointedMemory(m, "words", self.config.memories, shape=shape, depth=depth)
        newest = Signal(range(depth))
        oldest = Signal(range(depth))
        level = Signal(range(depth + 1))
        take = Signal()
        write = words.write_port()
        m.d.comb += [
            self.i.ready.eq(1),
            self.open.eq(level <= depth - self.config.max_words - 3),
            write.en.eq(self.i.valid),
            write.addr.eq(newest),
            write.data.data.eq(Mux(self.i.bad, 0, self.i.data[:width])),
            write.data.last.eq((self.i.last & ~self.i.head) | self.i.bad),
            write.data.error.eq(self.i.bad),
        ]
        after = Mux(oldest == depth - 1, 0, oldest + 1)
        read = words.head(oldest, after, take, level)
        m.d.comb += [
            self.eject.valid.eq(level != 0),
            self.eject.data.eq(read.data),
            self.eject.last.eq(read.last),
            self.eject.error.eq(read.error),
            take.eq(self.eject.valid & self.eject.ready),
        ]
        with m.If(self.i.valid):
            m.d.sync += newest.eq(Mux(newest == depth - 1, 0, newest + 1))
        with m.If(take):
            m.d.sync += oldest.eq(after)
        m.d.sync += level.eq(level + self.i.valid - take)
        return m
