"""What the pass sequencer has to promise, if receiver, collector, buffer and sender keep what is proven of them."""

from amaranth.asserts import AnySeq
from amaranth.hdl import Array, Assume, Cat, Mux, Signal

from cubecast.golden.collective.contract.bundles import COUNT_BITS, DIMENSION_BITS
from cubecast.golden.collective.contract.segment import Kind, Reading
from cubecast.golden.collective.contract.states import Accepted, State, Step
from cubecast.rtl.collective.pass_sequencer import PassSequencer
from tests.collective.merge_collector_spec import follow_messages
from tests.collective.sequencer_spec import follow_requests
from tests.collective.unit_spec import UnitSpec, members

__all__ = ["PassSequencerSpec"]


class PassSequencerSpec(UnitSpec):
    """Each piece goes through for one credit given and one used, and a ring's messages go on and out whole.

    - Nothing is requested while what was requested before is not done, and no segment without its first word.
    - Of an entry's piece: the neighbour it comes from gets one credit, and it is taken only after that was sent and
      until its final segment has come; it is sent only after a credit of its dimension and kind was used, which is
      there, and is used once. The entry is left when the final segment is sent, with an empty buffer.
    - The words of a piece are pushed as they come, and a segment is asked for as its first word in the buffer says.
    - A ring's message goes to the host from its origin on, each word in the cycle in which it is taken, ``last`` at
      its end only, and always there: also of one whose final segment was cut short. Of a segment all words are pushed,
      or none if it has been at its origin's predecessor. Nothing is sent on before the own message is sent.
    - A push never meets a full buffer: in a ring, since no word is taken then; in a merge, since a piece is no longer.
    - ``pass_done`` is given only when nothing is under way.

    Assumed of a relayed piece: it has V words at most, and a segment g; one begins when those before were full, and
    after the first one only if words are left. The sequencer's proof says so of the node that sends it.
    """

    unit = PassSequencer

    def state(self, m):
        """Follow the entries and a ring's messages."""
        dut = self.dut
        request = dut.request
        self.out, self.final = follow_requests(m, dut)
        self.piece_out = Signal()
        with m.If(request.granted):
            m.d.sync += self.piece_out.eq((request.kind != Kind.CREDIT) & (request.kind != Kind.RELAY_CREDIT))
        self._operation(m)
        self._messages(m)
        self._relays(m)
        self._buffer(m)
        self._ring(m)

    def _operation(self, m):
        """Assume that an operation goes from its start to its end, and that the buffer counts."""
        dut = self.dut
        command, store = dut.command, dut.store
        fields = Cat(members(dut.awaited), dut.next_member, members(dut.relay))
        kept = self.before(m, fields, "fields")
        busy = self.before(m, dut.busy, "busy")
        started = self.before(m, command.start & ~command.cut_short, "start")
        aborted = self.before(m, command.cut_short, "cut_short")
        passed = self.before(m, dut.pass_done, "pass_done")
        level = Signal.like(store.level)
        m.d.comb += [
            Assume(~command.start | ~dut.busy),
            Assume(~dut.busy | (fields == kept)),
            Assume(dut.relay.relays <= self.config.max_relays),
            Assume((dut.busy == (~aborted & (started | busy))) | (busy & passed & ~aborted & ~dut.busy)),
            Assume(store.level == level),
        ]
        self.reached(busy & ~dut.busy & ~aborted)
        body = Signal()
        with m.If(dut.request.granted):
            m.d.sync += body.eq(dut.request.body)
        self.pop, self.body = Signal(), self.out & self.piece_out & body
        m.d.comb += [
            self.pop.eq((dut.pop_head | (self.body & AnySeq(1))) & (level != 0)),
            # Of the sender: a segment with words is sent when its last one leaves the buffer.
            Assume(~self.body | (dut.request.done == (self.pop & store.o_last))),
        ]
        push = store.push & (level != self.config.pass_depth)
        m.d.sync += level.eq(Mux(command.start | command.cut_short, 0, level + push - self.pop))

    def _messages(self, m):
        """Assume what receiver and collector say of messages."""
        dut = self.dut
        command, arrival, offer, passed = dut.command, dut.arrival, dut.offer, dut.passed
        self.under_way = inside = follow_messages(m, dut)
        taken, accepted, dropped = arrival.head | arrival.word, Signal(Accepted), Signal()
        ringing = (arrival.kind == Kind.RING) & ((dut.phase == Reading.ARGUMENT) | (dut.phase == Reading.BODY))
        received = Signal.like(dut.received)
        after = (inside | arrival.head) & ~arrival.message_end
        m.d.sync += [
            accepted.eq(Mux(command.cut_short, Accepted.NONE, Mux(arrival.head, passed.accept, accepted))),
            dropped.eq(Mux(command.cut_short, after | AnySeq(1), dropped & AnySeq(1))),
        ]
        m.d.comb += [
            Assume(~inside | ((dut.phase == Reading.BODY) & ~dropped)),
            Assume((dut.phase != Reading.BODY) | inside | dropped),
            Assume(~arrival.head | (dut.phase == Reading.ARGUMENT)),
            Assume(~taken | (arrival.message_end == offer.last)),
            Assume(~((offer.offered | taken) & dropped)),
            Assume(~(ringing & ~dropped) | (taken == (offer.offered & dut.ring_ready))),
            Assume(passed.accepted == accepted),
            Assume(dut.received == received),
            Assume((arrival.kind != Kind.RING) | (passed.accept == Accepted.OTHER)),
            Assume(
                (arrival.kind != Kind.RELAY) | (passed.accept == Mux(passed.relay_open, Accepted.OTHER, Accepted.NONE))
            ),
        ]
        self.mine = Signal()
        m.d.comb += self.mine.eq(taken & dut.busy & (Mux(arrival.head, passed.accept, accepted) == Accepted.OTHER))
        self.accepted = accepted
        counts = Mux(dut.awaited.ring, self.mine & arrival.message_end & arrival.is_final, AnySeq(1))
        m.d.sync += received.eq(Mux(command.start, 0, received + counts))

    def _relays(self, m):
        """Follow the piece of the entry."""
        dut, n, out, relays = self.dut, self.config.dim, self.out, self.config.max_relays
        command, awaited, relay, arrival, passed, store, request = (
            dut.command,
            dut.awaited,
            dut.relay,
            dut.arrival,
            dut.passed,
            dut.store,
            dut.request,
        )
        merge = dut.busy & ~awaited.ring
        given, closed, used, to_end = Signal(), Signal(), Signal(), Signal()
        paid, link, origin, sent = Signal(n), Signal(n), Signal(n), Signal.like(dut.entry)
        uses = (passed.use_relay | passed.use_end).any()
        over = merge & request.done & self.piece_out & self.final
        credit = request.valid & ((request.kind == Kind.CREDIT) | (request.kind == Kind.RELAY_CREDIT))
        reset = command.start | command.cut_short
        ends_here = merge & self.mine & (arrival.kind == Kind.RELAY) & arrival.message_end & arrival.is_final
        self.merge, self.over, self.closed = merge, over, closed
        m.d.sync += [
            given.eq(~reset & ~over & (given | (request.granted & credit))),
            closed.eq(~reset & ~over & (closed | ends_here)),
            used.eq(~reset & ~over & (used | uses)),
            sent.eq(Mux(reset, 0, sent + over)),
        ]
        with m.If(uses):
            m.d.sync += [paid.eq(passed.use_relay | passed.use_end), to_end.eq(passed.use_end.any())]
        dims = [f.word_select(e, DIMENSION_BITS) for e in range(relays) for f in (relay.relay_to, relay.relay_from)]
        for mask, fields in ((link, dims[::2]), (origin, dims[1::2])):
            m.d.comb += mask.eq(Array([Cat(d == j for j in range(n)) for d in fields])[dut.entry])
        passing = request.valid & ~awaited.ring & ~credit
        kinds = Mux(to_end, Kind.DATA, Kind.RELAY)
        there = Cat(passed.end_credits.word_select(j, COUNT_BITS).any() for j in range(n))
        both = Cat(passed.use_relay, passed.use_end)
        self.claim(request.valid, dut.busy & ~out)
        self.claim(request.valid & ~credit, store.level != 0)
        asked = Cat(request.argument, request.is_final, request.body)
        self.claim(
            request.valid & ~credit, asked == Cat(store.o_data[: len(request.argument)], store.o_final, ~store.o_last)
        )
        self.claim(dut.pop_head == (request.granted & ~credit))
        self.claim(credit, merge & ~given & (request.targets == origin) & request.is_final)
        self.claim(passing & link.any(), used & (request.targets == paid) & (request.kind == kinds))
        self.claim(passing, (request.targets == link) & (dut.entry < relay.relays))
        self.claim(uses, merge & ~used & ~request.valid)
        self.claim(~(both & (both - 1)).any())
        self.claim(~(both & ~Cat(passed.relay_credit, there)).any())
        self.claim(passed.relay_open, merge & given & ~closed & ~(out & ~self.piece_out))
        self.claim(store.push & merge, given & ~closed)
        self.claim(dut.entry == sent)
        self.claim(merge, dut.entry <= relay.relays)
        self.claim(dut.pass_done, ~out)
        self.claim(dut.pass_done & merge, dut.entry == relay.relays)

        step = self.register("step")
        cleared, final_sent = self.register("cleared"), self.register("final_sent")
        self.invariant(out == self.register("waiting"))
        self.invariant(out, dut.busy)
        self.invariant(~dut.busy | awaited.ring, ~(used | given | closed | cleared | final_sent) & (step == Step.GRANT))
        self.invariant(~dut.busy | awaited.ring, (dut.entry == 0) | ~dut.busy)
        self.invariant(merge & out, dut.entry < relay.relays)
        self.invariant(merge & (step == Step.GRANT), ~(used | cleared | closed) & (given == out))
        self.invariant(merge & (step == Step.GRANT) & out, ~self.piece_out)
        self.invariant(merge & (step != Step.GRANT), given & (closed == (step == Step.CLOSED)))
        self.invariant(merge & (step != Step.GRANT), (dut.entry < relay.relays) & (~out | self.piece_out))
        self.invariant(merge & out & self.piece_out, cleared)
        self.invariant(merge, final_sent == (out & self.piece_out & self.final))
        self.invariant(used, cleared & (paid == link))
        self.invariant(used, to_end == relay.relay_end.bit_select(dut.entry, 1))
        self.invariant(cleared & ~used, ~link.any())
        self.invariant(step <= Step.CLOSED)
        relaying = self.under_way & (self.accepted == Accepted.OTHER) & (arrival.kind == Kind.RELAY)
        self.invariant(relaying, merge & (step == Step.OPEN))
        self.reached(over & used & (sent == 1))

    def _buffer(self, m):
        """Count what a relayed piece has brought into the buffer, and what has left it."""
        dut, config, merge, over = self.dut, self.config, self.merge, self.over
        command, arrival, store = dut.command, dut.arrival, dut.store
        most, g = config.max_vector, config.segment
        words, segments = Signal(range(most + 1)), Signal(range(most + 2))
        put, gone, begins = (Signal(range(2 * most + 2), name=name) for name in ("put", "gone", "begins"))
        final_here = Signal()
        relaying = merge & self.mine & (arrival.kind == Kind.RELAY)
        head, word = relaying & arrival.head, relaying & arrival.word
        full, some = words == g * segments, merge & (store.level != 0)
        inside = self.under_way & (self.accepted == Accepted.OTHER) & (arrival.kind == Kind.RELAY)
        newest = gone >= begins
        m.d.comb += [
            put.eq(words + segments),
            Assume(~head | (full & ((segments == 0) | (words < most)))),
            Assume(~word | (~full & (words < most))),
            # What has come leaves in its order: the words of the newest segment, and the last one before it.
            Assume(~some | (store.o_final == (final_here & newest))),
            Assume(~some | ~newest | (store.o_last == ((gone + 1 == put) & ~inside))),
            Assume(~some | (gone + 1 != begins) | store.o_last),
        ]
        m.d.sync += [words.eq(words + word), segments.eq(segments + head), gone.eq(gone + (merge & self.pop))]
        with m.If(head):
            m.d.sync += [final_here.eq(arrival.is_final), begins.eq(put)]
        with m.If(over | command.start | command.cut_short):
            m.d.sync += [signal.eq(0) for signal in (words, segments, gone, begins, final_here)]
        self.claim(merge & store.push, store.level < config.pass_depth)
        # What is assumed above of the words that come out.
        pushed = Cat(store.i_data, store.i_last, store.i_final, store.i_error)
        came = Cat(
            Mux(arrival.head, arrival.argument, dut.offer.data),
            *(arrival.message_end, arrival.is_final, dut.offer.error),
        )
        self.claim(merge & store.push, pushed == came)
        self.claim(over, self.closed & (store.level == self.pop))
        self.reached(merge & store.push & (store.level == config.pass_depth - 1))

        body, sent = merge & self.body, merge & self.out & self.piece_out & self.final
        self.invariant(merge, store.level + gone == put)
        self.invariant(merge, (words <= most) & (words <= g * segments) & (words + g >= g * segments))
        self.invariant(merge, (segments <= 1) | (g * segments < most + g))
        self.invariant(merge & (self.register("step") == Step.GRANT), (put == 0) & (gone == 0))
        self.invariant(merge, final_here == (self.closed | (inside & arrival.is_final)))
        self.invariant(merge, (begins < put) | (put == 0))
        self.invariant(merge & inside, segments != 0)
        self.invariant(body, (gone < put) | inside)
        self.invariant(sent, final_here & (gone > begins))
        self.invariant(sent & ~self.body, self.closed & (store.level == 0))
        self.invariant(merge & final_here & ~sent, gone <= begins)
        self.invariant(body & final_here & ~sent, gone < begins)

    def _ring(self, m):
        """Follow what goes to the host, and what is pushed."""
        dut, out = self.dut, self.dut.vector_out
        command, awaited, arrival, offer, store, request = (
            dut.command,
            dut.awaited,
            dut.arrival,
            dut.offer,
            dut.store,
            dut.request,
        )
        ring = dut.busy & awaited.ring
        moves = out.valid & out.ready
        ringing = self.mine & ring & (arrival.kind == Kind.RING)
        open_here, begun, forwards = Signal(), Signal(), Signal()
        complete = arrival.message_end & arrival.is_final
        n = self.config.dim
        member = arrival.argument[:n]
        reset = command.start | command.cut_short
        with m.If(moves):
            m.d.sync += open_here.eq(~out.last)
        with m.If(ringing & arrival.head):
            m.d.sync += forwards.eq(member != dut.next_member)
        m.d.sync += begun.eq(~reset & Mux(ringing, ~complete, begun))
        with m.If(reset):
            m.d.sync += open_here.eq(0)
        torn = arrival.head & begun & complete
        spoiled = Signal()
        with m.If(ringing & arrival.message_end):
            m.d.sync += spoiled.eq(~arrival.is_final & (spoiled | offer.error))
        with m.If(reset):
            m.d.sync += spoiled.eq(0)
        self.claim(moves == (ringing & (arrival.word | ~begun | torn)))
        self.claim(moves & arrival.head & ~torn, ~open_here & (out.data == member))
        self.claim(moves & torn, open_here & (out.data == 0) & out.error)
        self.claim(moves & arrival.word, open_here & (out.data == offer.data))
        self.claim(moves, out.last == complete)
        self.claim(moves, out.error == (complete & (offer.error | torn | spoiled)))
        self.claim(out.valid, ring & (dut.received < awaited.expected))
        self.claim(request.valid & ring, (dut.state == State.LAST) & request.distant & (request.kind == Kind.RING))
        self.claim(request.valid & ring, request.destination == dut.next_member)
        self.claim(store.push & ring, ringing & (store.level < self.config.pass_depth))
        self.claim(ringing, store.push == Mux(arrival.head, member != dut.next_member, forwards))
        self.claim(ringing & store.push, store.i_data == Mux(arrival.head, member, offer.data))
        self.claim(
            ringing & store.push,
            (store.i_last == arrival.message_end)
            & (store.i_final == arrival.is_final)
            & (store.i_error == offer.error),
        )
        self.claim(dut.pass_done & ring, (dut.received >= awaited.expected) & (store.level == 0))
        inside = self.under_way & (self.accepted == Accepted.OTHER) & (arrival.kind == Kind.RING)
        self.invariant(inside, ring & (dut.received < awaited.expected))
        self.invariant(self.under_way & (arrival.kind == Kind.RING), self.accepted == Accepted.OTHER)
        self.invariant(inside, begun & (self.register("forwarding") == forwards))
        self.invariant(ring, (begun == open_here) & (self.register("first") == ~begun))
        self.invariant(ring, self.register("spoiled") == spoiled)
        self.reached(moves & out.last & out.error & ~offer.error & spoiled)
        self.reached(moves & out.last & arrival.word & store.push)
