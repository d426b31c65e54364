"""What the scheduler of sends has to promise to each destination."""

from amaranth.asserts import AnyConst
from amaranth.hdl import Assert, Assume, Cat, Cover, Module, Mux, Signal

from cubecast.golden.node.contract.block import Status
from cubecast.golden.node.contract.packet import Op
from cubecast.rtl.node.send_scheduler import SendScheduler, State, Task, What
from tests.harness.inside import row
from tests.harness.spec import Spec, drive

__all__ = ["SendSchedulerSpec"]


class SendSchedulerSpec(Spec):
    """To a destination, any, there is one offer at a time.

    A message is offered when the one before it has been answered with DONE or POSTPONE under its ticket, has found no
    way, has waited longer than ``timeout``, or memory has failed. The rest of a message is sent only while its offer is
    open, or has found no way, after an ACCEPT under its ticket, and under that ticket; the next message is offered
    behind it. Whatever answers, reports, faults and errors come, and wherever a rest stops for others. A
    part goes into the slot of the one before, unless that was the last one of a message that is stored whole. While a
    part is being sent, the FLAG of no message to its destination that was offered becomes 3. Behind a message that is
    not stored whole a first packet goes alone.

    Assumed: who takes parts stays ready until it gets one, and says where one has stopped only while it has the rest of
    a message, once.

    Parameters
    ----------
    config : NodeConfig
        Gives the dimension.
    """

    unit = SendScheduler

    def elaborate(self, platform):
        """Follow the offers to one destination."""
        m = Module()
        dut = self.place(m)
        drive(m, *(port for port in (dut.room, dut.timeout, dut.served, dut.word, dut.word_error)))
        drive(m, dut.written, dut.write_error, dut.part.ready, dut.reader.ready, dut.writer.ready, dut.event.ready)
        for stream in (dut.add, dut.answer, dut.report, dut.fault, dut.back):
            drive(m, *(getattr(stream, name) for name in stream.signature.members if name != "ready"))
        to, stays = Signal(self.config.dim), Signal()
        m.d.comb += [dut.address.eq(AnyConst(len(to))), to.eq(AnyConst(len(to))), Assume(to != dut.address)]
        part, answer, report = dut.part, dut.answer, dut.report
        m.d.sync += stays.eq(part.ready & ~part.valid)
        m.d.comb += Assume(~stays | part.ready)
        # The part that was taken last is a rest, which may stop; where it has stopped is told until that is taken.
        resting, told = Signal(), Signal()
        m.d.comb += Assume(~dut.back.valid | (resting & ~part.ready))
        m.d.comb += Assume(~told | dut.back.valid)
        m.d.sync += told.eq(dut.back.valid & ~dut.back.ready)
        with m.If(part.valid & part.ready):
            m.d.sync += resting.eq(part.rest)
        with m.Elif(dut.back.valid & dut.back.ready):
            m.d.sync += resting.eq(0)

        state, chain = self.register("_state"), self.register("_d")
        offered, accepted, ticket = Signal(), Signal(), Signal.like(part.ticket)
        # A packet of what was offered last has found no way.
        lost = Signal()
        # The part that was taken last goes there; what was offered before may not be whole there.
        last, doubt = Signal(), Signal()
        # The slot in which packets may be on their way, 0 for none.
        slots = Signal.like(part.slots)
        comes, mine = Signal(), Signal()
        m.d.comb += [
            comes.eq(answer.valid & answer.ready & ~answer.b & (answer.source == to) & (answer.ticket == ticket)),
            mine.eq(part.valid & part.ready & (part.destination == to)),
            Assert(~(mine & ~part.rest) | ~offered),
            Assert(~(mine & part.rest) | ((offered | lost) & accepted & (part.ticket == ticket))),
            Assert(~(mine & (slots != 0)) | (part.slots == slots)),
            Assert(~mine | ((part.slots != 0) & (part.slots & (part.slots - 1) == 0))),
            Assert(~(mine & ~part.rest & doubt) | (part.eager == 1)),
            Cover(mine),
        ]
        task = self.register("_task")
        inner = getattr(dut, "inner", dut)
        failed = inner._finishes & (chain == to)
        failed &= (state == State.FETCH) | ((state == State.WORK) & (task == Task.SCAN))
        with m.If(part.valid & part.ready):
            m.d.sync += last.eq(part.destination == to)
        with m.If(comes & offered & (answer.op == Op.DONE)):
            m.d.sync += doubt.eq(answer.damaged)
        with m.Elif(offered & ((report.valid & report.ready & (report.destination == to)) | failed)):
            m.d.sync += doubt.eq(1)
        with m.If(mine & ~part.rest):
            m.d.sync += [offered.eq(1), accepted.eq(0), ticket.eq(part.ticket)]
        with m.Elif(comes & ((answer.op == Op.DONE) | (answer.op == Op.POSTPONE))):
            m.d.sync += offered.eq(0)
        with m.Elif((report.valid & report.ready & (report.destination == to)) | failed):
            m.d.sync += offered.eq(0)
        with m.If(comes & (answer.op == Op.ACCEPT)):
            m.d.sync += accepted.eq(1)
        with m.If(mine & ~part.rest):
            m.d.sync += lost.eq(0)
        with m.Elif(offered & report.valid & report.ready & (report.destination == to)):
            m.d.sync += lost.eq(1)
        with m.If(mine):
            m.d.sync += slots.eq(part.slots)
        with m.Elif(comes & offered & (answer.op == Op.DONE) & ~answer.damaged):
            m.d.sync += slots.eq(0)
        self._inside(m, to, offered, accepted, ticket, lost, slots, doubt, state, task, chain, stays)
        self._complete(m, to, last, state, chain, stays)
        self._stops(m, to, accepted, last, resting, told, state, task, chain, stays)
        return m

    def _inside(self, m, to, offered, accepted, ticket, lost, slots, doubt, state, task, chain, stays):
        """Say what the entry of the chain has in which state, which makes the statements inductive."""
        dut = getattr(self.dut, "inner", self.dut)
        what, cleared = self.register("_what"), self.register("cleared")
        stored = row(self.fragment, *self.inside, "chains", address=to)
        here = (chain == to) & (state != State.IDLE)

        def among(*states):
            return Cat(state == each for each in states).any()

        def filled(entry):
            return entry.full | ~(entry.here | entry.waiting)

        def live(entry):
            return entry.waiting & ~entry.over

        def left(entry):
            return ~(entry.over & (entry.rest | (entry.end == Status.UNDELIVERABLE))) | (lost & (slots != 0))

        def agrees(entry, open_=offered):
            same = (live(entry) == open_) & (~entry.waiting | (entry.ticket == ticket)) & (entry.waiting | ~entry.over)
            same &= (~doubt | entry.doubt) & left(entry)
            return same & (entry.slots == slots) & (~entry.rest | (entry.waiting & accepted)) & filled(entry)

        loaded = dut._load.data
        ends = Signal()
        op, under = self.register("kept_op"), self.register("kept_ticket")
        now = Signal.like(ticket)
        m.d.comb += now.eq(Mux(state == State.LOAD, loaded.ticket, dut._e.ticket))
        answered = (task == Task.ANSWER) & (under == now) & ((op == Op.DONE) | (op == Op.POSTPONE))
        m.d.comb += ends.eq(answered | (task == Task.REPORT))

        def before(entry):
            same = (offered == (live(entry) & ~ends)) & (~entry.waiting | (entry.ticket == ticket)) & left(entry)
            same &= ~(live(entry) & (task == Task.REPORT)) | (lost & (slots != 0))
            same &= entry.waiting | ~entry.over
            done, damaged = live(entry) & answered & (op == Op.DONE), self.register("kept_damaged")
            whole = done & ~damaged
            same &= Mux(done, doubt == damaged, ~doubt | entry.doubt | (live(entry) & (task == Task.REPORT)))
            same &= slots == Mux(whole, 0, entry.slots)
            same &= ~(offered & (task == Task.ANSWER) & (op == Op.ACCEPT) & (under == ticket)) | accepted
            return same & (~entry.rest | (entry.waiting & accepted)) & filled(entry)

        m.d.comb += [
            Assert((cleared[-1] & (cleared[:-1] == 0)) | ~cleared[-1]),
            Assert(
                cleared[-1] | ((state == State.IDLE) & ~(offered | doubt) & (slots == 0) & (dut._e.as_value() == 0))
            ),
            Assert(slots & (slots - 1) == 0),
            Assert(~offered | (slots != 0)),
            Assert((state <= State.STORE) & (here | (cleared <= to) | agrees(stored))),
            Assert(~((task == Task.QUEUE) & among(State.LOAD, State.WORK)) | stays),
            Assert(~among(State.FETCH, State.PART) | stays),
        ]
        with m.If(here):
            m.d.comb += [
                Assert(~among(State.CLEAR, State.JUDGE, State.CALL)),
                Assert((state != State.LOAD) | (before(loaded) & (loaded.as_value() == stored.as_value()))),
                Assert((state != State.WORK) | before(dut._e)),
                Assert(~among(State.APPEND, State.FETCH, State.START, State.PART, State.STORE) | agrees(dut._e)),
                Assert(among(State.IDLE, State.LOAD) | filled(dut._e)),
                Assert(among(State.IDLE, State.LOAD, State.WORK) | (dut._e.slots == slots) & (~doubt | dut._e.doubt)),
                Assert(~among(State.APPEND, State.FETCH, State.PART) | dut._e.full),
                Assert(~among(State.FETCH, State.PART) | (what == Mux(dut._e.waiting, What.REST, What.OFFER))),
                Assert(~(among(State.FETCH, State.PART) & dut._e.waiting) | dut._e.rest),
                Assert(~among(State.NEXT, State.UNLINK, State.REMOVE) | ~offered),
                Assert(~among(State.NEXT, State.UNLINK, State.REMOVE) | ~dut._e.over),
                Assert((state != State.STEP) | ~(offered | dut._e.waiting | dut._e.over | dut._e.rest)),
                # Of a block that could not be appended, too, while an offer is open.
                Assert(~among(State.COUNT, State.LEFT, State.FLAG, State.EVENT) | agrees(dut._e)),
            ]

    def _stops(self, m, to, accepted, last, resting, told, state, task, chain, stays):
        """Say whose rest has stopped: that of the chain of the part that was taken last, whose offer was accepted."""
        given = self.register("_given")
        loading = (task == Task.BACK) & Cat(state == each for each in (State.LOAD, State.WORK)).any()
        m.d.comb += [
            Assert(~resting | stays | (last == (given == to))),
            Assert(~(resting & last) | accepted),
            Assert(~told | (resting & ~stays)),
            Assert(~loading | (told & (chain == given))),
        ]

    def _complete(self, m, to, last, state, chain, stays):
        """Say when a message is complete: not before its part is sent."""
        dut, given = getattr(self.dut, "inner", self.dut), self.register("_given")
        here, busy = (chain == to) & (state != State.IDLE), last & ~dut.part.ready

        def among(*states):
            return Cat(state == each for each in states).any()

        # A block that could not be appended, and was never offered, is completed at any time.
        other = Signal()
        with m.If(state == State.APPEND):
            m.d.sync += other.eq(1)
        with m.Elif(state == State.IDLE):
            m.d.sync += other.eq(0)
        ended = among(State.NEXT, State.UNLINK, State.REMOVE) | (among(State.COUNT, State.LEFT, State.FLAG) & ~other)
        m.d.comb += [
            Assert(~(here & (state == State.FLAG) & ~other & dut.writer.valid) | ~busy),
            Assert(~(here & ended) | ~last | stays),
            Assert(~last | (given == to) | stays),
        ]
