"""Pass buffer: the words that a node passes on, until they are sent."""

from amaranth import *
from amaranth.lib import data, wiring
from amaranth.lib.wiring import In
from amaranth.utils import ceil_log2

from cubecast.golden.collective.contract.config import CollectiveConfig
from cubecast.rtl.collective.bundle import Bundle
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
    store__push, store__i_data, store__i_last, store__i_final, store__i_error : in, 1 and w and 1 and 1 and 1
        Append a word; not done when the buffer is full, even with ``pop``.
    pop : in
        Remove the oldest word; not done when there is none.
    store__level : out, bits of 0..E
        Words in the buffer; a register.
    store__o_data, store__o_last, store__o_final, store__o_error : out, w and 1 and 1 and 1
        The oldest word; meaningless while ``level`` is 0.

    Source: Leu and Kuo, the detours of the tree merge; Lin and Chen, section 1, the ring.
    """

    def __init__(self, config: CollectiveConfig):
        self.config = config
        super().__init__(
            {
                "clear": In(1),
                "store": In(Bundle(config, "store")),
                "pop": In(1),
            }
        )

    def elaborate(self, platform):
        """Build the memory, its two pointers and the level counter."""
        store = self.store
        m = Module()
        depth = self.config.pass_depth
        bits = ceil_log2(depth)
        shape = data.StructLayout({"data": self.config.width, "last": 1, "final": 1, "error": 1})
        entries = PointedMemory(m, "entries", self.config.router.memories, shape=shape, depth=rows(depth))
        oldest = Signal(bits)
        newest = Signal(bits)
        put, take = Signal(), Signal()
        write = entries.write_port()
        m.d.comb += [
            put.eq(store.push & ~self.clear & (store.level != depth)),
            take.eq(self.pop & (store.level != 0)),
            write.en.eq(put),
            write.addr.eq(newest),
            write.data.eq(Cat(store.i_data, store.i_last, store.i_final, store.i_error)),
        ]
        after = Mux(oldest == depth - 1, 0, oldest + 1)
        read = entries.head(oldest, after, take, store.level)
        m.d.comb += [
            store.o_data.eq(read.data),
            store.o_last.eq(read.last),
            store.o_final.eq(read.final),
            store.o_error.eq(read.error),
        ]
        with m.If(put):
            m.d.sync += newest.eq(Mux(newest == depth - 1, 0, newest + 1))
        with m.If(take):
            m.d.sync += oldest.eq(after)
        m.d.sync += store.level.eq(store.level + put - take)
        with m.If(self.clear):
            m.d.sync += [store.level.eq(0), oldest.eq(0), newest.eq(0)]
        return m
