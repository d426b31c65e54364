"""What the scheduler of sends has to promise to each destination."""

from amaranth.asserts import AnyConst
from amaranth.hdl import Assert, Assume, C, Cat, Cover, Module, Mux, Signal

from cubecast.golden.node.contract.block import BLOCK_BITS, Status, Word
from cubecast.golden.node.contract.packet import Op
from cubecast.rtl.node.send_scheduler import PART_BITS, UNIT_BITS, SendScheduler, State, Task, What
from cubecast.rtl.node.stream import WORD_BITS
from tests.harness.inside import row
from tests.harness.spec import Spec, drive

__all__ = ["FirstMessageSpec", "SendSchedulerSpec"]


class SendSchedulerSpec(Spec):
    """To a destination, any, there is one offer at a time.

    A message is offered when the one before it has been answered with DONE or POSTPONE under its ticket, has found no
    way, has waited longer than ``timeout`` since its last part or since that counts anew, or memory has failed while it
    was read. Its ticket is the next one, those of messages that could not be read included. The rest of a message is
    sent only while its offer is open, or has found no way, after an ACCEPT under its ticket, and under that ticket,
    from behind what was sent with the offer, or where it has stopped last; the next message is offered behind it.
    Whatever answers, reports, faults and errors come, and wherever a rest stops for others. A part goes into the slot
    of the one before, unless that was the last one of a message that is stored whole. FLAG is written, when it becomes
    3, of the message that was offered or could not be read last, and not while a part for its destination is being
    sent, or of one that was just added and could not be appended. Behind a message that is not stored whole a first
    packet goes alone.

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
            Assert(~(mine & ~part.rest) | (~offered & (part.ticket == (ticket + 1)[: len(ticket)]))),
            Assert(~(mine & part.rest) | ((offered | lost) & accepted & (part.ticket == ticket))),
            Assert(~(mine & (slots != 0)) | (part.slots == slots)),
            Assert(~mine | ((part.slots != 0) & (part.slots & (part.slots - 1) == 0))),
            Assert(~(mine & ~part.rest & doubt) | (part.eager == 1)),
            Cover(mine),
        ]
        task = self.register("_task")
        inner = getattr(dut, "inner", dut)
        ends, unread = inner._finishes & (chain == to), Signal()
        m.d.comb += unread.eq(ends & (state == State.FETCH))
        failed = unread | (ends & (state == State.WORK) & (task == Task.SCAN))
        erred = Signal()
        m.d.sync += erred.eq((state == State.FETCH) & (erred | (dut.served & dut.word_error)))
        m.d.comb += Assert(~unread | erred | (dut.served & dut.word_error))
        with m.If(part.valid & part.ready):
            m.d.sync += last.eq(part.destination == to)
        with m.If(comes & offered & (answer.op == Op.DONE)):
            m.d.sync += doubt.eq(answer.damaged)
        with m.Elif(offered & ((report.valid & report.ready & (report.destination == to)) | failed)):
            m.d.sync += doubt.eq(1)
        with m.If(mine & ~part.rest):
            m.d.sync += [offered.eq(1), accepted.eq(0)]
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
        begins = (mine & ~part.rest) | (unread & ~inner._e.waiting)
        m.d.sync += ticket.eq(ticket + begins)
        self._waits(m, to, mine, ends & (state == State.WORK) & (task == Task.SCAN), state, chain)
        place = self._rests(m, to, mine, last, resting)
        block = self._blocks(m, to, begins, state, chain)
        reads = Cat(state == each for each in (State.STEP, State.NEXT, State.COUNT)).any()
        self._inductive(m, ~self.register("access_fault") | Mux(state == State.FETCH, erred, reads))
        self._inside(m, to, offered, accepted, ticket, lost, slots, doubt, place, block, state, task, chain, stays)
        self._complete(m, to, last, state, chain, stays)
        self._stops(m, to, accepted, last, resting, told, state, task, chain, stays)
        return m

    def _inductive(self, m, *statements):
        """Assert what makes it inductive."""
        m.d.comb += [Assert(statement) for statement in statements]

    def _waits(self, m, to, mine, ends, state, chain):
        """Follow how long an offer waits; only what has done so for longer than the timeout is ended for that."""
        inner = getattr(self.dut, "inner", self.dut)
        part, now, since = Signal(UNIT_BITS), Signal(WORD_BITS), Signal(WORD_BITS)
        age, anew = (now - since)[:WORD_BITS], inner._touch.en & (inner._touch.addr == to)
        m.d.sync += [part.eq(part + 1), now.eq(now + part.all())]
        with m.If(mine | anew):
            m.d.sync += since.eq(now)
        stored = row(self.fragment, *self.inside, "times", address=to)
        here = chain == to
        m.d.comb += Assert(~ends | ((self.dut.timeout != 0) & (age > self.dut.timeout)))
        self._inductive(
            m,
            (self.register("part") == part) & (self.register("_now") == now),
            (self.register("cleared") <= to) | (stored == since),
            ~(here & (state == State.LOAD)) | (inner._since.data == since),
            ~(here & (state == State.WORK)) | (self.register("_age") == age),
            self.register("_task") <= Task.BACK,
        )

    def _rests(self, m, to, mine, last, resting):
        """Follow from where the rest is to be sent; return the place, and its lowest bit of the numbers of packets."""
        config, part, back = self.config, self.dut.part, self.dut.back
        place, odd = Signal.like(part.offset), Signal()
        with m.If(mine & ~part.rest):
            m.d.sync += [
                place.eq(config.first_bytes + Mux(part.eager == 1, 0, (config.eager - 1) * config.packet_bytes)),
                odd.eq(part.eager[0]),
            ]
        with m.Elif(back.valid & back.ready & resting & last):
            m.d.sync += [place.eq(back.offset), odd.eq(back.odd)]
        both = Cat(place, odd)
        m.d.comb += [
            Assert(~(mine & ~part.rest) | (part.eager == 1) | (part.eager == config.eager)),
            Assert(~(mine & part.rest) | (Cat(part.offset, part.odd) == both)),
        ]
        return both

    def _blocks(self, m, to, begins, state, chain):
        """Follow which block FLAG is written of; return the one that was offered, or could not be read."""
        dut, inner = self.dut, getattr(self.dut, "inner", self.dut)
        block, added = Signal(BLOCK_BITS), Signal(BLOCK_BITS)
        with m.If(begins):
            m.d.sync += block.eq(inner._e.cursor[PART_BITS:])
        with m.If(dut.add.valid & dut.add.ready):
            m.d.sync += added.eq(dut.add.reference[PART_BITS:])
        # Of a block that could not be appended the rest of this work is about that one.
        self.other = other = Signal()

        def among(*states):
            return Cat(state == each for each in states).any()

        with m.If(state == State.APPEND):
            m.d.sync += other.eq(1)
        with m.Elif(among(State.IDLE, State.FETCH, State.REMOVE)):
            m.d.sync += other.eq(0)
        here, completes = chain == to, among(State.COUNT, State.LEFT, State.FLAG)
        adds = (self.register("_task") == Task.ADD) & among(State.LOAD, State.WORK)
        reads, writes = (
            here & (state == State.FETCH) & dut.reader.valid,
            here & (state == State.FLAG) & dut.writer.valid,
        )
        m.d.comb += [
            Assert(~reads | (dut.reader.address == Cat(C(Word.TYPE, 3), inner._e.cursor[PART_BITS:]))),
            Assert(~writes | (dut.writer.address == Cat(C(Word.FLAG, 3), Mux(other, added, block)))),
        ]
        hand = self.register("_block")[PART_BITS:]
        ended = (completes & ~other) | among(State.NEXT, State.UNLINK, State.REMOVE)
        self._inductive(
            m,
            ~(adds | (state == State.APPEND)) | (self.register("_link")[PART_BITS:] == added),
            ~(other & completes) | (hand == added),
            ~(here & ended) | (hand == block),
        )
        return block

    def _inside(self, m, to, offered, accepted, ticket, lost, slots, doubt, place, block, state, task, chain, stays):
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

        def goes_on(entry):
            wanted = entry.waiting & (~entry.over | (entry.end == Status.UNDELIVERABLE))
            same = (wanted | ~entry.rest) & (~wanted | (Cat(entry.offset, entry.odd) == place))
            return same & (~entry.waiting | (entry.here & (entry.cursor[PART_BITS:] == block)))

        # From where the next offer is decided on until it is made.
        tries = among(State.FETCH, State.PART) & (what == What.OFFER)

        def agrees(entry, spent=ticket):
            same = (live(entry) == offered) & (entry.ticket == spent) & (entry.waiting | ~entry.over) & goes_on(entry)
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
            same = (offered == (live(entry) & ~ends)) & (entry.ticket == ticket) & left(entry) & goes_on(entry)
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
                cleared[-1]
                | ((state == State.IDLE) & ~(offered | doubt) & (slots == 0) & (ticket == 0) & (dut._e.as_value() == 0))
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
                Assert(~among(State.NEXT, State.UNLINK, State.REMOVE, State.STEP) | (dut._e.ticket == ticket)),
                Assert(
                    ~among(State.APPEND, State.FETCH, State.START, State.PART, State.STORE)
                    | agrees(dut._e, (ticket + tries)[: len(ticket)])
                ),
                Assert(~tries | dut._e.here),
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
        self._inductive(
            m,
            ~resting | stays | (last == (given == to)),
            ~(resting & last) | accepted,
            ~told | (resting & ~stays),
            ~loading | (told & (chain == given)),
        )

    def _complete(self, m, to, last, state, chain, stays):
        """Say when a message is complete: not before its part is sent."""
        given = self.register("_given")
        here, busy = (chain == to) & (state != State.IDLE), last & ~self.dut.part.ready

        def among(*states):
            return Cat(state == each for each in states).any()

        # A block that could not be appended, and was never offered, is completed at any time.
        other = self.other
        ended = among(State.NEXT, State.UNLINK, State.REMOVE) | (among(State.COUNT, State.LEFT, State.FLAG) & ~other)
        m.d.comb += Assert(~(here & (state == State.FLAG) & ~other & self.dut.writer.valid) | ~busy)
        self._inductive(m, ~(here & ended) | ~last | stays, ~last | (given == to) | stays)


class FirstMessageSpec(Spec):
    """The message that a chain without one gets is its first: head, tail and the next to be offered. From any state.

    Parameters
    ----------
    config : NodeConfig
        Gives the dimension.
    passed : int
        Messages of the chain that are passed over; but for 0 it must be refuted.
    """

    unit = SendScheduler

    def __init__(self, config, passed=0):
        self.passed = passed
        super().__init__(config)

    def elaborate(self, platform):
        """Look at the chain a cycle later."""
        m = Module()
        dut = self.place(m)
        drive(m, dut)
        entry, link, began, first = dut._e, self.register("_link"), Signal(), Signal.like(self.register("_link"))
        adds = (self.register("_state") == State.WORK) & (self.register("_task") == Task.ADD)
        m.d.sync += [began.eq(adds & ~entry.full), first.eq(link)]
        alone = (entry.position == 0) & (entry.passed == self.passed) & entry.full & entry.here
        m.d.comb += [
            Assert(~began | (alone & (entry.head == first) & (entry.tail == first) & (entry.cursor == first))),
            Cover(began),
        ]
        return m
