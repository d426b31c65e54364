"""Block queue: the words of one crosspoint, in block RAM."""

from amaranth import *

from cubecast.rtl.crosspoint.counting import counted, stepped
from cubecast.rtl.crosspoint.queue import Queue

__all__ = ["BlockQueue"]


class BlockQueue(Queue):
    """First in, first out; a word pushed in cycle t is at the head from cycle t + 2 on, if nothing is before it.

    The RAM is read at the edge, at the row that will be the head. A push is counted a cycle late, when its word can be
    read. ``pop`` only with ``ne``; never a push with ``level`` = ``depth`` and no pop.

    Parameters
    ----------
    config : QueueShape
        Width, depth, and the count up to which there is room.

    Ports
    -----
    push, data, pop, o, ne, room, level
        Those of a :class:`Queue`. ``o`` is a register; ``ne`` and ``room`` are about the words that can be read,
        ``level`` counts the late one too.
    """

    def elaborate(self, platform):
        """Put behind the RAM the register that synthesis takes into it, and count a push when its word is there."""
        m = Module()
        words, read_row = self.rows(m)
        count = Signal(self.level.shape())
        late = Signal()
        following = Mux(self.pop, stepped(read_row), read_row)
        if self.config.memories == "block":
            # Nothing counts a word that is read in the cycle of its push.
            head = words.read(read_row, following, C(0))
        else:
            # A synchronous read port has no value before its first read, and this register has.
            head = Signal(self.config.bits, reset_less=True)
            m.d.sync += head.eq(words.read(following))
        m.d.comb += [self.o.eq(head), self.level.eq(count + late)]
        m.d.sync += [late.eq(self.push), count.eq(counted(count, late, self.pop))]
        self.counted(m, count, late)
        return m
