"""What the reassembler has to promise."""

from amaranth.asserts import AnyConst, AnySeq
from amaranth.hdl import Assert, Assume, Cat, Const, Cover, Module, Mux, Signal

from cubecast.rtl.adapter.reassembler import Reassembler
from tests.harness.spec import Spec, drive

__all__ = ["ReassemblerSpec"]


class ReassemblerSpec(Spec):
    """What leaves of a message is what came of it, nothing of another one is between, and no word waits for others.

    - The words of any one source and path leave in the order in which they came, each once, with their data, number,
      ``first`` and ``error``; ``last`` and not ``more`` is beside the end of the message, and beside nothing else but a
      word behind which packets are missing, which has ``error`` then.
    - From the first word of a frame to its ``last``, at most M words, source and path stay the same, and each number is
      the one before or the next. A word that is offered stays until it is taken.
    - When no buffer is in use, all that came has left.
    - A word that is offered is taken after at most M + 3 cycles in which the node takes words, whatever comes later.

    Bit 0 of the data is followed: nothing looks at the data, whose bits go all the same way. The other ones are 0.

    Parameters
    ----------
    config, unit
        As those of :class:`Spec`.
    """

    unit = Reassembler

    def elaborate(self, platform):
        """Follow one word of one source and path, which are anything, and the frame that leaves."""
        m = Module()
        dut, config = self.place(m), self.config
        came, receive, size = dut.came, dut.receive, config.reassemble_words
        drive(m, came.valid, came.last, came.error, came.first, came.source, came.path, came.ordinal, receive.ready)
        m.d.comb += came.data.eq(AnySeq(1))
        offered = Cat(came.data[0], came.last, came.error, came.first, came.source, came.path, came.ordinal)
        waits, before = Signal(), Signal(len(offered))
        m.d.sync += [waits.eq(came.valid & ~came.ready), before.eq(offered)]
        m.d.comb += [
            Assume(~came.error | came.last),
            Assume(~waits | (came.valid & (offered == before))),
            Assume((came.path & ~((1 << config.path_bits) - 1)) == 0),
            Assume((came.ordinal & ~((1 << config.ordinal_bits) - 1)) == 0),
        ]
        enters, leaves = came.valid & came.ready, receive.valid & receive.ready
        self._words(m, enters, leaves)
        self._frames(m, leaves)
        patience = Signal(range(size + 5))
        with m.If(enters | ~came.valid):
            m.d.sync += patience.eq(0)
        with m.Elif(receive.ready & (patience != size + 4)):
            m.d.sync += patience.eq(patience + 1)
        m.d.comb += [
            Assert(patience <= size + 3),
            Cover(patience == size + 1),
            Cover(leaves & receive.last & ~receive.more & ~receive.error & (came.source != receive.source)),
        ]
        return m

    def _words(self, m, enters, leaves):
        """Follow a word among those of its source and path."""
        dut, config = self.dut, self.config
        came, receive = dut.came, dut.receive
        room = config.reassemble * config.reassemble_words
        key = Cat(AnyConst(config.dim), AnyConst(config.dim))
        inside, ahead, marked = Signal(range(room + 2)), Signal(range(room + 2)), Signal()
        kept, ended, number = Signal(2), Signal(2), Signal.like(came.ordinal)
        joins, goes, marks = Signal(), Signal(), Signal()
        # Whether packets are missing behind the word: the next one says so, which may have come or be offered.
        followed, missed, missing = Signal(), Signal(), Signal()
        mine = Cat(came.source, came.path) == key
        m.d.comb += [
            joins.eq(enters & mine),
            goes.eq(leaves & (Cat(receive.source, receive.path) == key)),
            marks.eq(joins & ~marked & AnySeq(1)),
            missing.eq(Mux(followed, missed, came.valid & mine & ~came.first & ~self._follows(number, came.ordinal))),
        ]
        m.d.sync += inside.eq(inside + joins - goes)
        with m.If(marks):
            m.d.sync += [
                marked.eq(1),
                ahead.eq(inside - goes),
                followed.eq(0),
                number.eq(came.ordinal),
                kept.eq(Cat(came.data[0], came.first)),
                ended.eq(Cat(came.error, came.last)),
            ]
        with m.Elif(joins & ~followed):
            m.d.sync += [followed.eq(1), missed.eq(missing)]
        with m.If(~marks & marked & goes):
            m.d.sync += [ahead.eq(ahead - 1), marked.eq(ahead != 0)]
        ends, shown = Cat(receive.error, receive.last & ~receive.more), marked & goes & (ahead == 0)
        m.d.comb += [
            Assert(~goes | (inside != 0)),
            Assert(inside <= room),
            Assert(~shown | ((Cat(receive.data[0], receive.first) == kept) & (receive.ordinal == number))),
            Assert(~shown | (ends == ended) | (missing & ends.all())),
            Cover(shown & missing & (ends != ended)),
            Assert(self.register("held").any() | (inside == 0)),
        ]

    def _follows(self, before, number):
        """Return whether a number is the one before or the next."""
        return ~(number - before)[1 : self.config.ordinal_bits].any() if self.config.ordinal_bits else Const(1)

    def _frames(self, m, leaves):
        """Follow the frame that leaves."""
        receive, size = self.dut.receive, self.config.reassemble_words
        length, source, path = Signal(range(size + 1)), Signal.like(receive.source), Signal.like(receive.path)
        number = Signal.like(receive.ordinal)
        waits, before = Signal(), Signal.like(Cat(receive.source, receive.last))
        m.d.sync += [waits.eq(receive.valid & ~receive.ready), before.eq(Cat(receive.source, receive.last))]
        with m.If(leaves):
            m.d.sync += [length.eq(Mux(receive.last, 0, length + 1)), source.eq(receive.source), path.eq(receive.path)]
            m.d.sync += number.eq(receive.ordinal)
        m.d.comb += [
            Assert((length == 0) | ~receive.valid | ((receive.source == source) & (receive.path == path))),
            Assert((length == 0) | ~receive.valid | self._follows(number, receive.ordinal)),
            Assert((length == 0) | receive.valid),
            Assert(~receive.valid | (length < size - 1) | receive.last),
            Assert(~receive.valid | receive.last | ~(receive.more | receive.error)),
            Assert(~waits | (receive.valid & (Cat(receive.source, receive.last) == before))),
        ]
