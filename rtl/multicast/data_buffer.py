"""Data buffer: one message of maximum length, read by all copies at once."""

from amaranth import *
from amaranth.lib import data, wiring
from amaranth.lib.wiring import In, Out
from amaranth.utils import bits_for, ceil_log2

from cubecast.golden.multicast.contract.config import Config
from cubecast.rtl.common.pointed_memory import PointedMemory

__all__ = ["DataBuffer", "Word"]

LUT_RAM_WORDS = 16
"""Words of a LUT-RAM of today's FPGAs, or a divisor of it."""


class Word(wiring.Signature):
    """A word of a message at rest.

    Parameters
    ----------
    config : Config
        Gives the width of a word.
    """

    def __init__(self, config: Config):
        super().__init__({"data": Out(config.width), "last": Out(1), "error": Out(1)})


class DataBuffer(wiring.Component):
    """Keep the payload of a message (and a list longer than m) from its first word to the last copy's end.

    One write port and one read port per copy streamer, all with linear addresses: the buffer holds one message at a
    time. A word written in cycle t is read from cycle t + 1 on. Reads are combinational; with ``memories`` = block the
    address comes one cycle earlier, and the memory holds the data alone: a word with ``last`` is the last one.

    Parameters
    ----------
    config : Config
        Parameters of the router; the depth is B = ``config.buffer_depth`` words.

    Ports
    -----
    clear : in
        Empty the buffer; a push in the same cycle is not done.
    push, data, last, error : in, 1 and w and 1 and 1
        Append a word; not done when the buffer is full. ``memories`` = block: ``error`` only with ``last``, and no
        push between ``last`` and ``clear``.
    pointer__j : in, bits of 0..B, j = 0..streamers - 1
        Address of read port j; with ``memories`` = distributed.
    ahead__j : in, bits of 0..B, j = 0..streamers - 1
        Address of read port j in the next cycle, which is 0 after a reset; with ``memories`` = block.
    level : out, bits of 0..B
        Words written since the last ``clear``; a register.
    word__j__data, word__j__last, word__j__error : out, w and 1 and 1
        The word at the address of port j; meaningless unless that is less than ``level``.

    Source: Lan 1988, section 6.4.2; lists longer than m: L8.
    """

    def __init__(self, config: Config):
        self.config = config
        bits = bits_for(config.buffer_depth)
        super().__init__(
            {
                "clear": In(1),
                "push": In(1),
                "data": In(config.width),
                "last": In(1),
                "error": In(1),
                "ahead" if config.reads_ahead else "pointer": In(bits).array(config.streamers),
                "level": Out(bits),
                "word": Out(Word(config)).array(config.streamers),
            }
        )

    def elaborate(self, platform):
        """Build the memory and the level counter."""
        m = Module()
        ahead = self.config.reads_ahead
        marks = () if ahead else ("last", "error")
        shape = data.StructLayout({"data": self.config.width} | dict.fromkeys(marks, 1))
        words = PointedMemory(m, "words", self.config.memories, shape=shape, depth=self._depth())
        write = words.write_port()
        room, push = Signal(), Signal()
        m.d.comb += [
            room.eq(self.level != self.config.buffer_depth),
            push.eq(self.push & ~self.clear & room),
            # Whether a word counts is known late: one that does not is overwritten by the next one.
            write.en.eq(push if ahead else room),
            write.addr.eq(self.level),
            write.data.data.eq(self.data),
            *(write.data[mark].eq(getattr(self, mark)) for mark in marks),
        ]
        with m.If(self.clear):
            m.d.sync += self.level.eq(0)
        with m.Elif(push):
            m.d.sync += self.level.eq(self.level + 1)
        if ahead:
            self._read_ahead(m, words, push)
        else:
            for pointer, word in zip(self.pointer, self.word, strict=True):
                read = words.read(pointer)
                m.d.comb += [word.data.eq(read.data), word.last.eq(read.last), word.error.eq(read.error)]
        return m

    def _read_ahead(self, m, words, push):
        """Read at the edge; what ends the message is a register, and true of the newest word."""
        newest = Signal.like(self.level)
        last, error = Signal(), Signal()
        with m.If(push):
            m.d.sync += [newest.eq(self.level), last.eq(self.last), error.eq(self.error)]
        for j, (ahead, word) in enumerate(zip(self.ahead, self.word, strict=True)):
            pointer, here = Signal.like(ahead, name=f"pointer_{j}"), Signal(name=f"newest_{j}")
            m.d.sync += pointer.eq(ahead)
            m.d.comb += here.eq(pointer == newest)
            read = words.read(pointer, ahead, here)
            m.d.comb += [word.data.eq(read.data), word.last.eq(here & last), word.error.eq(here & error)]

    def _depth(self):
        """Return the words of the memory: a power of two up to the 16 of one LUT-RAM, then a multiple of that."""
        depth = self.config.buffer_depth
        return max(2, min(1 << ceil_log2(depth), -(-depth // LUT_RAM_WORDS) * LUT_RAM_WORDS))
