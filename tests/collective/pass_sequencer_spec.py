"""What the pass sequencer has to promise, if receiver, collector, buffer and sender keep what is proven of them."""

from amaranth.asserts import AnySeq
from amaranth.hdl import Array, Assume, Cat, Mux, Signal

from cubecast.golden.collective.contract.segment import Kind, Reading
from cubecast.golden.collective.contract.states import Accepted, State, Step
from cubecast.rtl.collective.merge_collector import END_BITS
from cubecast.rtl.collective.pass_sequencer import PassSequencer
from cubecast.rtl.collective.sequencer import DIM_BITS
from tests.collective.merge_collector_spec import follow_messages
from tests.collective.sequencer_spec import follow_requests
from tests.collective.unit_spec import UnitSpec

__all__ = ["PassSequencerSpec"]

FIELDS = ("ring", "expected", "next_member", "relays", "relay_from", "relay_to", "relay_first", "relay_end")


class PassSequencerSpec(UnitSpec):
    """Each piece goes through for one credit given and one used, and a ring's messages go on and out whole.

    - Nothing is requested while what was requested before is not done, and no segment without its first word.
    - Of an entry's piece: the neighbour it comes from gets one credit, and it is taken only after that was sent and
      until its final segment has come; it is sent only after a credit of its dimension and kind was used, which is
      there, and is used once. The entry is left when the final segment is sent.
    - A ring's message goes to the host from its origin on, each word in the cycle in which it is taken, ``last`` at
      its end only, and always there: also of one whose final segment was cut short. Of a segment all words are pushed,
      or none if it has been at its origin's predecessor. A push never meets a full buffer. Nothing is sent on before
      the own message is sent.
    - ``pass_done`` is given only when nothing is under way.
    """

    unit = PassSequencer

    def state(self, m):
        """Follow the entries and a ring's messages."""
        dut = self.dut
        self.out, self.final = follow_requests(m, dut)
        self.piece_out = Signal()
        with m.If(dut.granted):
            m.d.sync += self.piece_out.eq((dut.kind_out != Kind.CREDIT) & (dut.kind_out != Kind.RELAY_CREDIT))
        self._operation(m)
        self._messages(m)
        self._relays(m)
        self._ring(m)

    def _operation(self, m):
        """Assume that an operation goes from its start to its end, and that the buffer counts."""
        dut = self.dut
        fields = Cat(getattr(dut, name) for name in FIELDS)
        kept = self.before(m, fields, "fields")
        busy = self.before(m, dut.busy, "busy")
        started = self.before(m, dut.start & ~dut.cut_short, "start")
        aborted = self.before(m, dut.cut_short, "cut_short")
        passed = self.before(m, dut.pass_done, "pass_done")
        level = Signal.like(dut.level)
        m.d.comb += [
            Assume(~dut.start | ~dut.busy),
            Assume(~dut.busy | (fields == kept)),
            Assume(dut.relays <= self.config.max_relays),
            Assume(dut.busy == (~aborted & (started | busy)) | (busy & passed & ~aborted & ~dut.busy)),
            Assume(dut.level == level),
        ]
        pop = (dut.pop_head | (self.out & self.piece_out & AnySeq(1))) & (level != 0)
        push = dut.push & (level != self.config.pass_depth)
        m.d.sync += level.eq(Mux(dut.start | dut.cut_short, 0, level + push - pop))

    def _messages(self, m):
        """Assume what receiver and collector say of messages."""
        dut = self.dut
        self.inside = inside = follow_messages(m, dut)
        taken, accepted, dropped = dut.head | dut.word, Signal(Accepted), Signal()
        ringing = (dut.kind == Kind.RING) & ((dut.phase == Reading.ARGUMENT) | (dut.phase == Reading.BODY))
        received = Signal.like(dut.received)
        after = (inside | dut.head) & ~dut.message_end
        m.d.sync += [
            accepted.eq(Mux(dut.cut_short, Accepted.NONE, Mux(dut.head, dut.accept, accepted))),
            dropped.eq(Mux(dut.cut_short, after | AnySeq(1), dropped & AnySeq(1))),
        ]
        m.d.comb += [
            Assume(~inside | ((dut.phase == Reading.BODY) & ~dropped)),
            Assume((dut.phase != Reading.BODY) | inside | dropped),
            Assume(~dut.head | (dut.phase == Reading.ARGUMENT)),
            Assume(~taken | (dut.message_end == dut.last)),
            Assume(~((dut.offered | taken) & dropped)),
            Assume(~(ringing & ~dropped) | (taken == (dut.offered & dut.ring_ready))),
            Assume(dut.accepted == accepted),
            Assume(dut.received == received),
            Assume((dut.kind != Kind.RING) | (dut.accept == Accepted.OTHER)),
            Assume((dut.kind != Kind.RELAY) | (dut.accept == Mux(dut.relay_open, Accepted.OTHER, Accepted.NONE))),
        ]
        self.mine = Signal()
        m.d.comb += self.mine.eq(taken & dut.busy & (Mux(dut.head, dut.accept, accepted) == Accepted.OTHER))
        self.accepted = accepted
        counts = Mux(dut.ring, self.mine & dut.message_end & dut.is_final, AnySeq(1))
        m.d.sync += received.eq(Mux(dut.start, 0, received + counts))

    def _relays(self, m):
        """Follow the piece of the entry."""
        dut, n, out, relays = self.dut, self.config.dim, self.out, self.config.max_relays
        merge = dut.busy & ~dut.ring
        given, closed, used, to_end = Signal(), Signal(), Signal(), Signal()
        paid, link, origin, sent = Signal(n), Signal(n), Signal(n), Signal.like(dut.entry)
        uses = (dut.use_relay | dut.use_end).any()
        over = merge & dut.done & self.piece_out & self.final
        credit = dut.request & ((dut.kind_out == Kind.CREDIT) | (dut.kind_out == Kind.RELAY_CREDIT))
        reset = dut.start | dut.cut_short
        ends_here = merge & self.mine & (dut.kind == Kind.RELAY) & dut.message_end & dut.is_final
        m.d.comb += [
            # The order of the buffer: what is sent has come.
            Assume(~over | closed),
        ]
        m.d.sync += [
            given.eq(~reset & ~over & (given | (dut.granted & credit))),
            closed.eq(~reset & ~over & (closed | ends_here)),
            used.eq(~reset & ~over & (used | uses)),
            sent.eq(Mux(reset, 0, sent + over)),
        ]
        with m.If(uses):
            m.d.sync += [paid.eq(dut.use_relay | dut.use_end), to_end.eq(dut.use_end.any())]
        dims = [f.word_select(e, DIM_BITS) for e in range(relays) for f in (dut.relay_to, dut.relay_from)]
        for mask, fields in ((link, dims[::2]), (origin, dims[1::2])):
            m.d.comb += mask.eq(Array([Cat(d == j for j in range(n)) for d in fields])[dut.entry])
        passing = dut.request & ~dut.ring & ~credit
        kinds = Mux(to_end, Kind.DATA, Kind.RELAY)
        there = Cat(dut.end_credits.word_select(j, END_BITS).any() for j in range(n))
        both = Cat(dut.use_relay, dut.use_end)
        self.claim(dut.request, dut.busy & ~out)
        self.claim(dut.request & ~credit, dut.level != 0)
        self.claim(dut.pop_head == (dut.granted & ~credit))
        self.claim(credit, merge & ~given & (dut.targets == origin) & dut.final_out)
        self.claim(passing & link.any(), used & (dut.targets == paid) & (dut.kind_out == kinds))
        self.claim(passing, (dut.targets == link) & (dut.entry < dut.relays))
        self.claim(uses, merge & ~used & ~dut.request)
        self.claim(~(both & (both - 1)).any())
        self.claim(~(both & ~Cat(dut.relay_credit, there)).any())
        self.claim(dut.relay_open, merge & given & ~closed & ~(out & ~self.piece_out))
        self.claim(dut.push & merge, given & ~closed)
        self.claim(dut.entry == sent)
        self.claim(merge, dut.entry <= dut.relays)
        self.claim(dut.pass_done, ~out)
        self.claim(dut.pass_done & merge, dut.entry == dut.relays)

        step = self.register("step")
        cleared, final_sent = self.register("cleared"), self.register("final_sent")
        self.invariant(out == self.register("waiting"))
        self.invariant(out, dut.busy)
        self.invariant(~dut.busy | dut.ring, ~(used | given | closed | cleared | final_sent) & (step == Step.GRANT))
        self.invariant(~dut.busy | dut.ring, (dut.entry == 0) | ~dut.busy)
        self.invariant(merge & out, dut.entry < dut.relays)
        self.invariant(merge & (step == Step.GRANT), ~(used | cleared | closed) & (given == out))
        self.invariant(merge & (step == Step.GRANT) & out, ~self.piece_out)
        self.invariant(merge & (step != Step.GRANT), given & (closed == (step == Step.CLOSED)))
        self.invariant(merge & (step != Step.GRANT), (dut.entry < dut.relays) & (~out | self.piece_out))
        self.invariant(merge & out & self.piece_out, cleared)
        self.invariant(merge, final_sent == (out & self.piece_out & self.final))
        self.invariant(used, cleared & (paid == link))
        self.invariant(used, to_end == dut.relay_end.bit_select(dut.entry, 1))
        self.invariant(cleared & ~used, ~link.any())
        self.invariant(step <= Step.CLOSED)
        relaying = self.inside & (self.accepted == Accepted.OTHER) & (dut.kind == Kind.RELAY)
        self.invariant(relaying, merge & (step == Step.OPEN))
        self.reached(over & used & (sent == 1))

    def _ring(self, m):
        """Follow what goes to the host, and what is pushed."""
        dut, out = self.dut, self.dut.vector_out
        ring = dut.busy & dut.ring
        moves = out.valid & out.ready
        ringing = self.mine & ring & (dut.kind == Kind.RING)
        open_here, begun, forwards = Signal(), Signal(), Signal()
        complete = dut.message_end & dut.is_final
        n = self.config.dim
        member = dut.argument[:n]
        reset = dut.start | dut.cut_short
        with m.If(moves):
            m.d.sync += open_here.eq(~out.last)
        with m.If(ringing & dut.head):
            m.d.sync += forwards.eq(member != dut.next_member)
        m.d.sync += begun.eq(~reset & Mux(ringing, ~complete, begun))
        with m.If(reset):
            m.d.sync += open_here.eq(0)
        torn = dut.head & begun & complete
        self.claim(moves == (ringing & (dut.word | ~begun | torn)))
        self.claim(moves & dut.head & ~torn, ~open_here & (out.data == member))
        self.claim(moves & torn, open_here & (out.data == 0) & out.error)
        self.claim(moves & dut.word, open_here & (out.data == dut.data))
        self.claim(moves, out.last == complete)
        self.claim(out.valid, ring & (dut.received < dut.expected))
        self.claim(dut.request & ring, (dut.state == State.LAST) & dut.distant & (dut.kind_out == Kind.RING))
        self.claim(dut.push & ring, ringing & (dut.level < self.config.pass_depth))
        self.claim(ringing, dut.push == Mux(dut.head, member != dut.next_member, forwards))
        self.claim(ringing & dut.push, dut.push_data == Mux(dut.head, member, dut.data))
        self.claim(ringing & dut.push, (dut.push_last == dut.message_end) & (dut.push_final == dut.is_final))
        self.claim(dut.pass_done & ring, (dut.received >= dut.expected) & (dut.level == 0))
        inside = self.inside & (self.accepted == Accepted.OTHER) & (dut.kind == Kind.RING)
        self.invariant(inside, ring & (dut.received < dut.expected))
        self.invariant(self.inside & (dut.kind == Kind.RING), self.accepted == Accepted.OTHER)
        self.invariant(inside, begun & (self.register("forwarding") == forwards))
        self.invariant(ring, (begun == open_here) & (self.register("first") == ~begun))
        self.reached(moves & out.last & dut.word & dut.push)
