"""Queue: the words of one crosspoint."""

from amaranth import *
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out
from amaranth.utils import bits_for, exact_log2

from cubecast.golden.crosspoint.contract.units import QueueShape
from cubecast.rtl.common.pointed_memory import PointedMemory
from cubecast.rtl.crosspoint.counting import at_most, counted, stepped

__all__ = ["Queue"]


class Queue(wiring.Component):
    """First in, first out; a word pushed in cycle t is at the head from cycle t + 1 on, if nothing is before it.

    The RAM is the register between two hops: it is written at the edge and read without one, or with ``memories`` =
    block at the row that will be the head. ``push`` may come late in the cycle, ``pop`` earlier. ``pop`` only with
    ``ne``; never a push with ``depth`` words and no pop.

    Parameters
    ----------
    config : QueueShape
        Width, depth, the count up to which there is room, and how the RAM is read.

    Ports
    -----
    push, data : in, 1 and ``bits``
        Append a word.
    pop : in
        Remove the word at the head.
    o : out, ``bits``
        The word at the head; means something while ``ne``.
    ne : out
        Not empty; a register.
    room : out
        At most ``most`` words are there; a function of registers.
    level : out, bits of 0..depth
        How many.
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
        """Read the head; the count prepares all but the push, which only selects."""
        m = Module()
        words, read_row = self.rows(m)
        count = Signal(self.level.shape())
        read = words.head(read_row, stepped(read_row), self.pop, count)
        m.d.comb += [self.o.eq(read), self.level.eq(count)]
        m.d.sync += count.eq(counted(count, self.push, self.pop))
        self.counted(m, count, self.push)
        return m

    def rows(self, m):
        """Build the RAM with the row that is written next; return it, and the row of the head."""
        depth = self.config.depth
        words = PointedMemory(
            m, "words", self.config.memories, shape=self.config.bits, depth=depth, ahead=self.config.block
        )
        write = words.write_port()
        write_row, read_row = Signal(exact_log2(depth)), Signal(exact_log2(depth))
        m.d.comb += [write.en.eq(self.push), write.addr.eq(write_row), write.data.eq(self.data)]
        with m.If(self.push):
            m.d.sync += write_row.eq(stepped(write_row))
        with m.If(self.pop):
            m.d.sync += read_row.eq(stepped(read_row))
        return words, read_row

    def counted(self, m, count, more):
        """Say whether there is room, and whether a word can be read once ``more`` has been counted."""
        left = Signal()
        m.d.comb += [
            left.eq(Mux(self.pop, count[1:].any(), count.any())),
            self.room.eq(at_most(count, self.config.most)),
        ]
        m.d.sync += self.ne.eq(more | left)
