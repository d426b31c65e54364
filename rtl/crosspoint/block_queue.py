"""Block queue: the words of one crosspoint, in block RAM."""

from amaranth import *
from amaranth.lib import memory, wiring
from amaranth.lib.wiring import In, Out
from amaranth.utils import bits_for, exact_log2

from cubecast.golden.crosspoint.contract.units import QueueShape

__all__ = ["BlockQueue"]


class BlockQueue(wiring.Component):
    """First in, first out; a word pushed in cycle t is at the head from cycle t + 2 on, if nothing is before it.

    The RAM is read at the edge, at the row that will be the head. A push is counted a cycle late, when its word can be
    read. ``pop`` only with ``ne``; never a push with ``level`` = ``depth`` and no pop.

    Parameters
    ----------
    config : QueueShape
        Width, depth, and the count up to which there is room.

    Ports
    -----
    push, data : in, 1 and ``bits``
        Append a word.
    pop : in
        Remove the word at the head.
    o : out, ``bits``
        The word at the head; means something while ``ne``; a register.
    ne : out
        A word can be read; a register.
    room : out
        At most ``most`` words can be read; a function of registers.
    level : out, bits of 0..depth
        Words that are there.
    """

    def __init__(self, config: QueueShape):
        self.config = config
        super().__init__(
            {
                "push": In(1),
                "data": In(config.bits),
                "pop": In(1),
                "o": Out(config.bits),
                "ne": Out(1),
                "room": Out(1),
                "level": Out(bits_for(config.depth)),
            }
        )

    def elaborate(self, platform):
        """Build the RAM, and the register behind it that synthesis takes into the block RAM."""
        m = Module()
        depth = self.config.depth
        m.submodules.words = words = memory.Memory(shape=self.config.bits, depth=depth, init=[])
        # A synchronous read port has no value before its first read, and this register has.
        write, read = words.write_port(), words.read_port(domain="comb")
        head = Signal(self.config.bits, reset_less=True)
        write_row, read_row = Signal(exact_log2(depth)), Signal(exact_log2(depth))
        count = Signal(self.level.shape())
        late, left = Signal(), Signal()
        m.d.comb += [
            write.en.eq(self.push),
            write.addr.eq(write_row),
            write.data.eq(self.data),
            read.addr.eq(Mux(self.pop, read_row + 1, read_row)),
            self.o.eq(head),
            left.eq(Mux(self.pop, count[1:].any(), count.any())),
            self.level.eq(count + late),
            self.room.eq(count <= self.config.most),
        ]
        m.d.sync += [head.eq(read.data), late.eq(self.push), self.ne.eq(late | left)]
        with m.If(self.push):
            m.d.sync += write_row.eq(write_row + 1)
        with m.If(self.pop):
            m.d.sync += read_row.eq(read_row + 1)
        with m.If(late & ~self.pop):
            m.d.sync += count.eq(count + 1)
        with m.Elif(self.pop & ~late):
            m.d.sync += count.eq(count - 1)
        return m
