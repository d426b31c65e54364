"""Pass buffer: the words that a node passes on, until they are sent."""

from amaranth import *
from amaranth.lib import data, wiring
from amaranth.lib.wiring import In, Out
from amaranth.utils import ceil_log2

from cubecast.golden.collective.contract.config import CollectiveConfig
from cubecast.rtl.collective.vector_memory import rows
from cubecast.rtl.common.pointed_memory import PointedMemory

__all__ = ["PassBuffer"]


class PassBuffer(wiring.Component):
    """Keep up to E words in their order; one pushed in cycle t is read from cycle t + 1 on.

    Parameters
    ----------
    config : CollectiveConfig
        Gives the width of a word and E = ``config.pass_depth``.

    Ports
    -----
    clear : in
        Empty the buffer; a push in the same cycle is not done.
    push, i_data, i_last, i_final : in, 1 and w and 1 and 1
        Append a word; not done when the buffer is full, even with ``pop``.
    pop : in
        Remove the oldest word; not done when there is none.
    level : out, bits of 0..E
        Words in the buffer; a register.
    o_data, o_last, o_final : out, w and 1 and 1
        The oldest word; meaningless while ``level`` is 0.

    Source: Leu and Kuo, the detours of the tree merge; Lin and Chen, section 1, the ring.
    """

    def __init__(self, config: CollectiveConfig):
        self.config = config
        super().__init__(
            {
                "clear": In(1),
                "push": In(1),
                "i_data": In(config.width),
                "i_last": In(1),
                "i_final": In(1),
                "pop": In(1),
                "level": Out(config.level_bits),
                "o_data": Out(config.width),
                "o_last": Out(1),
                "o_final": Out(1),
            }
        )

    def elaborate(self, platform):
        """Build the memory, its two pointers and the level counter."""
        m = Module()
        depth = self.config.pass_depth
        bits = ceil_log2(depth)
        shape = data.StructLayout({"data": self.config.width, "last": 1, "final": 1})
        entries = PointedMemory(m, "entries", self.config.router.memories, shape=shape, depth=rows(depth))
        oldest = Signal(bits)
        newest = Signal(bits)
        put, take = Signal(), Signal()
        write = entries.write_port()
        m.d.comb += [
            put.eq(self.push & ~self.clear & (self.level != depth)),
            take.eq(self.pop & (self.level != 0)),
            write.en.eq(put),
            write.addr.eq(newest),
            write.data.eq(Cat(self.i_data, self.i_last, self.i_final)),
        ]
        after = Mux(oldest == depth - 1, 0, oldest + 1)
        read = entries.head(oldest, after, take, self.level)
        m.d.comb += [
            self.o_data.eq(read.data),
            self.o_last.eq(read.last),
            self.o_final.eq(read.final),
        ]
        with m.If(put):
            m.d.sync += newest.eq(Mux(newest == depth - 1, 0, newest + 1))
        with m.If(take):
            m.d.sync += oldest.eq(after)
        m.d.sync += self.level.eq(self.level + put - take)
        with m.If(self.clear):
            m.d.sync += [self.level.eq(0), oldest.eq(0), newest.eq(0)]
        return m
