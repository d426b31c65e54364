"""What the receive engine has to promise of memory, and of the words that it is offered."""

from amaranth.asserts import AnyConst
from amaranth.hdl import Assert, Assume, Cat, Cover, Module, Mux, Signal

from cubecast.golden.node.contract.block import BLOCK_BITS, COMPLETE, STARTED, TAKEN_BIT, Word
from cubecast.golden.node.contract.packet import Kind, Op
from cubecast.golden.node.contract.registers import Interrupt
from cubecast.rtl.node.receive_engine import LINES, Phase, ReceiveEngine, State
from cubecast.rtl.node.stream import ADDRESS_BITS
from tests.harness.inside import row, unit
from tests.harness.spec import Spec, drive

__all__ = ["ReceiveEngineSpec", "StreamSpec"]

LONGEST = 45
"""Cycles that a word waits at most where nobody makes it wait: a receive ends that a broadcast was promised which its
source has given up, and the next one begins."""


def first(source, length, *data):
    """Return the words of the first packet of a message to node 0, of which two packets are sent unasked."""
    return [0, Kind.FIRST << 10 | source, 0, length, 2 << 4, *data]


SCRIPTS = (
    # A message without bytes for a receive, and while its FLAG is written one for a system buffer.
    ([*first(1, 0), *first(2, 8, 1, 2)], (4, 11)),
    # A message of two packets for a receive.
    ([*first(3, 8, 1, 2), 0, Kind.MORE << 10 | 3, 3, 4], (6, 10)),
)
"""Words that lead to all that is to be covered, and the places of those that end a packet."""


class ReceiveEngineSpec(Spec):
    """What says that words are in memory is said after memory has acknowledged them; every word is taken.

    - When FLAG is written, STARTED or complete, no write of the engine is without its acknowledgement; when DONE is
      put, and when a system buffer is kept or lent, none but that of FLAG. The tracker is told that bytes have come
      after their acknowledgement; events are told after that of FLAG. That FLAG could not be written is told at once,
      with the block. A message that is completed is kept in a system buffer, or its FLAG has been written, once.
    - Memory, matcher and the takers of events and answers may wait as they like. When none of them does, a word on
      offer is taken within :data:`LONGEST` cycles, whatever packets come, whole or damaged, expected or not.

    Assumed: memory acknowledges what it has taken, in order, not before the next cycle; a verdict is given to who asked
    for it; broadcasts are prepared in every other cycle at most.

    Parameters
    ----------
    config : NodeConfig
        Parameters of the node.
    scripted : bool
        One of :data:`SCRIPTS` comes, and nobody makes it wait but memory, which is silent for a while. A case lies
        thirty-seven cycles behind the reset; where anything may come, a solver needs ten minutes for thirty.
    """

    unit = ReceiveEngine

    def __init__(self, config, unit=None, scripted=False):
        super().__init__(config, unit)
        self.scripted = scripted

    def elaborate(self, platform):
        """Count the writes under way, and the cycles of a word that waits."""
        m = Module()
        dut = self.place(m)
        drive(m, dut)
        writer, put = dut.writer, dut.put
        prompt, asked, under_way = Signal(), Signal(), Signal(7)
        self.prepared = prepared = Signal()
        m.d.comb += prompt.eq(AnyConst(1))
        taken = writer.valid & writer.ready
        m.d.sync += under_way.eq(under_way + taken - dut.written)
        with m.If(dut.first.valid & dut.first.ready):
            m.d.sync += asked.eq(1)
        with m.Elif(dut.verdict):
            m.d.sync += asked.eq(0)
        m.d.sync += prepared.eq(dut.prepare.valid & dut.prepare.ready)
        m.d.comb += [
            Assume(~dut.written | (under_way != 0)),
            Assume(~dut.verdict | asked),
            Assume(~(dut.prepare.valid & prepared)),
            Assume(~prompt | (writer.ready & dut.first.ready & dut.control.ready & dut.event.ready)),
            Assume(~prompt | (dut.written == (under_way != 0))),
            Assume(~prompt | (dut.verdict == asked)),
        ]
        state, owed, flagged, late = (self.register(name) for name in ("state", "owed", "flagged", "late"))
        word = unit(self.fragment, *self.inside, "word_writer")
        own = (state == State.HEAD) | (state == State.FLAG)
        flag = own & writer.valid & (writer.address[:3] == Word.FLAG)
        completes = Signal()
        with m.If(flag & writer.ready & (writer.data[:2] == COMPLETE)):
            m.d.sync += completes.eq(1)
        with m.Elif(dut.written):
            m.d.sync += completes.eq(0)
        said = Signal()
        with m.If(dut.completed):
            m.d.sync += said.eq(0)
        with m.Elif(flag & writer.ready & (writer.data[:2] == COMPLETE)):
            m.d.sync += said.eq(1)
        spoilt, block = Signal(), Signal(BLOCK_BITS)
        with m.If(completes & dut.written & dut.write_error):
            m.d.sync += spoilt.eq(1)
        with m.Elif(dut.event.ready):
            m.d.sync += spoilt.eq(0)
        with m.If(flag & writer.ready & (writer.data[:2] == COMPLETE)):
            m.d.sync += block.eq(writer.address[3:])
        m.d.comb += [
            Assert(~spoilt | (dut.event.valid & (dut.event.reason == Interrupt.MEMORY_ERROR))),
            Assert(~spoilt | (dut.event.value == block << ADDRESS_BITS - BLOCK_BITS)),
            Assert((spoilt == self.register("spoilt")) & ~(spoilt & completes)),
            Assert(~(spoilt | completes) | (block == self.register("flag_block"))),
            Assert(~prompt | ~spoilt | (state == State.FAULT)),
            Assert(~flag | (under_way == 0)),
            Assert(~(put.valid & (put.op == Op.DONE)) | (under_way == completes)),
            Assert(~(dut.kept | dut.lend | dut.close) | (under_way == completes)),
            Assert(~dut.move | ((under_way == completes) & ~writer.valid)),
            Assert(~dut.event.valid | ~completes),
            Assert(~dut.completed | (said ^ dut.kept)),
            Assert(completes == flagged),
            Cover(completes & (state == State.DATA)),
            Cover(flag & (writer.data == (1 << TAKEN_BIT | STARTED))),
            Cover(late & (under_way > 1) & (state == State.SOURCE)),
        ]
        waits = Signal(range(LONGEST + 2))
        with m.If(prompt & dut.ready & dut.eject.valid & ~dut.eject.ready):
            m.d.sync += waits.eq(waits + 1)
        with m.Else():
            m.d.sync += waits.eq(0)
        m.d.comb += Assert(waits <= LONGEST)
        rank = self._rank(m, state, owed, flagged, spoilt, late, word.waiting)
        m.d.comb += Assert(~prompt | (waits + rank <= LONGEST))
        self._inside(m, under_way, state, own, owed, flagged, late, word, asked, prompt, said)
        if self.scripted:
            self._script(m, under_way, state)
        return m

    def _script(self, m, under_way, state):
        """Fix the packets, who takes them, and between which two cycles memory is silent."""
        dut, which, count, cycle = self.dut, Signal(range(len(SCRIPTS))), Signal(4), Signal(6)
        word, last, there, begin, end = Signal(self.config.width), Signal(), Signal(), Signal(6), Signal(6)
        m.d.comb += [signal.eq(AnyConst(len(signal))) for signal in (which, begin, end)]
        with m.Switch(Cat(count, which)):
            for script, (words, ends) in enumerate(SCRIPTS):
                for place, value in enumerate(words):
                    with m.Case(script << len(count) | place):
                        m.d.comb += [word.eq(value), last.eq(place in ends), there.eq(1)]
        with m.If(dut.eject.valid & dut.eject.ready):
            m.d.sync += count.eq(count + 1)
        m.d.sync += cycle.eq(cycle + 1)
        m.d.comb += [
            Assume((dut.address == 0) & ~dut.prepare.valid & ~dut.full & ~dut.write_error),
            Assume(dut.writer.ready & dut.first.ready & dut.control.ready & dut.event.ready),
            Assume((dut.eject.valid == there) & ~dut.eject.error & (dut.eject.data == word)),
            Assume(dut.eject.last == last),
            Assume(dut.verdict == (state == State.WAIT)),
            Assume(dut.placed & (dut.user == dut.first.source[0]) & ~dut.pooled & (dut.room == 8)),
            Assume((dut.block == 1) & (dut.buffer == 0) & (dut.number == 0) & (dut.entry == 0) & ~dut.stop),
            Assume(dut.written == ((under_way != 0) & ((cycle < begin) | (cycle >= end)))),
        ]

    def _rank(self, m, state, owed, flagged, spoilt, late, writing):
        """Return how many cycles a word can still wait where nobody makes it wait."""
        phase = row(
            self.fragment, *self.inside, "streams", address=Cat(self.register("_b"), self.register("_source"))
        ).phase
        again = self.register("_again")
        ends = Cat(state == s for s in (State.HEAD, State.DRAIN, State.FINISH, State.FLAG, State.DONE)).any()
        ends |= (state == State.FAULT) | (state == State.NOTICE)
        rank, found, begun, opens, promised = Signal(8), Signal(8), Signal(8), Signal(8), Signal()
        lines, waiting = Signal(4), Signal(7)
        m.d.comb += [
            waiting.eq(writing + owed),
            # What is late is written first, whatever the memory says of its stream.
            promised.eq((phase == Phase.READY) | late),
            lines.eq(LINES - self.register("_count")),
            opens.eq(1 + Mux(self.register("_ended"), 8, 0)),
            begun.eq(4 + 2 * LINES + opens),
            found.eq(1 + Mux(again, begun, 1)),
            Assert(~((state == State.FAULT) | (state == State.NOTICE)) | (phase == Phase.IDLE)),
            Assert(~again | (ends & self.register("_bad"))),
            Assert(self.dut.ready | (state == State.DEST)),
            Assert((state != State.HEAD) | (self.register("_count") < LINES)),
        ]
        with m.Switch(state):
            with m.Case(State.DEST):
                m.d.comb += rank.eq(Mux(self.prepared, 0, 1 + waiting + late))
            with m.Case(State.TELL):
                m.d.comb += rank.eq(2 + waiting + late)
            with m.Case(State.LOOK):
                m.d.comb += rank.eq(
                    waiting + late + Mux(promised, 2 * LINES + 8, Mux(phase == Phase.STORE, 7, 0)) + begun
                )
            with m.Case(State.ASK):
                m.d.comb += rank.eq(begun - 1)
            with m.Case(State.WAIT):
                m.d.comb += rank.eq(begun - 2)
            with m.Case(State.PLACE):
                m.d.comb += rank.eq(begun - 3)
            with m.Case(State.HEAD):
                m.d.comb += rank.eq(2 * lines + owed + Mux(again, 6 + found, opens))
            with m.Case(State.OPEN):
                m.d.comb += rank.eq(opens + waiting)
            with m.Case(State.DRAIN):
                m.d.comb += rank.eq(waiting + 6 + found)
            with m.Case(State.FINISH):
                m.d.comb += rank.eq(5 + found)
            with m.Case(State.FLAG):
                m.d.comb += rank.eq(4 + found)
            with m.Case(State.DONE):
                m.d.comb += rank.eq(2 + flagged + found)
            with m.Case(State.FAULT):
                m.d.comb += rank.eq(1 + spoilt + found)
            with m.Case(State.NOTICE):
                m.d.comb += rank.eq(found)
        return rank

    def _inside(self, m, under_way, state, own, owed, flagged, late, word, asked, prompt, said):
        """Say whose writes are under way in which state, which makes the statements inductive."""
        count, e = self.register("_count"), getattr(self.dut, "inner", self.dut)._e
        moving = (state == State.DATA) | (state == State.DRAIN)
        early = Cat(state == s for s in (State.DEST, State.SOURCE, State.ANSWER, State.TELL, State.ENVELOPE)).any()
        early |= Cat(state == s for s in (State.SKIP, State.LOOK, State.OPEN)).any()
        m.d.comb += [
            Assert(state <= State.NOTICE),
            Assert(under_way + word.writer.valid == owed + flagged + word.waiting),
            Assert((owed == 0) | late | moving | (state == State.HEAD) | (state == State.OPEN)),
            Assert(owed <= Mux(state == State.HEAD, count, LINES)),
            Assert((state != State.HEAD) | (count == 0) | (owed != 0) | ~flagged),
            Assert(~own | (word.waiting == 0)),
            Assert((state != State.HEAD) | self.dut.writer.valid | ((count == LINES - 1) & e.tracked & (owed != 0))),
            Assert(~word.writer.valid | (word.waiting != 0)),
            Assert(late | moving | (word.waiting == 0)),
            Assert(~late | early),
            Assert(asked == (state == State.WAIT)),
            Assert(word.waiting <= 32),
            Assert((said == ((state == State.DONE) & e.user)) & ((state != State.FLAG) | e.user)),
            Assert(~prompt | (under_way <= 1)),
            Assert(~prompt | ~flagged | (state == State.DONE)),
        ]


class StreamSpec(Spec):
    """What is known of a stream is kept while its message goes on, and a packet that comes again is not forgotten.

    From any state: behind a packet, when memory has acknowledged its words, the entry of the stream is written unless
    the message ends with it; and that the packet is looked at again is known until the message before it has been told
    of, or another one is found out of turn.

    Parameters
    ----------
    config : NodeConfig
        Parameters of the node.
    least : int
        Bytes behind a packet that are left of a message that goes on, at least; but for 1 it must be refuted.
    """

    unit = ReceiveEngine

    def __init__(self, config, least=1):
        self.least = least
        super().__init__(config)

    def elaborate(self, platform):
        """Look at the write of the entry, and a cycle back."""
        m = Module()
        dut, config = self.place(m), self.config
        drive(m, dut)
        state, again = dut._state, dut._again
        acknowledged = (dut._owed == 0) & (dut._word.waiting == 0)
        most = Mux(dut._kind == Kind.FIRST, config.first_bytes, config.packet_bytes)
        ends = dut._bad | (dut._e.left < most + self.least)
        behind = (state == State.DRAIN) & ~dut._late & dut.ready
        was, before = Signal.like(state), Signal()
        m.d.sync += [was.eq(state), before.eq(again)]
        forgotten = before & ~again
        m.d.comb += [
            Assert(~behind | (dut._write.en == (acknowledged & ~ends))),
            Assert(~forgotten | (was == State.NOTICE) | ((was == State.LOOK) & (state == State.FINISH))),
            Cover(behind & dut._write.en),
            Cover(forgotten & (was == State.LOOK)),
        ]
        return m
