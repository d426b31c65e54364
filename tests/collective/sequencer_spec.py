"""What the collective sequencer has to promise."""

from itertools import pairwise

from amaranth.asserts import AnyConst
from amaranth.hdl import Array, Assume, C, Cat, Mux, Signal

from cubecast.golden.collective.contract.bundles import DIMENSION_BITS
from cubecast.golden.collective.contract.segment import ARGUMENT_BITS, Kind
from cubecast.golden.collective.contract.states import State
from cubecast.rtl.collective.sequencer import CollectiveSequencer
from tests.collective.unit_spec import UnitSpec, members

__all__ = ["CollectiveSequencerSpec", "follow_requests"]


def follow_requests(m, dut):
    """Assume of ``granted`` and ``done`` what the sender's proof says.

    Parameters
    ----------
    m : Module
        The specification.
    dut : Component
        A unit with a request.

    Returns
    -------
    tuple of Signal
        Registers: a request was granted and is not done; its segment was the last of its piece.
    """
    command, request = dut.command, dut.request
    out, final = Signal(name="out"), Signal(name="final_granted")
    m.d.comb += [
        Assume(~request.granted | (request.valid & ~command.cut_short)),
        Assume(~request.done | out),
        Assume(~(command.start & command.cut_short)),
    ]
    m.d.sync += out.eq(~command.cut_short & (request.granted | (out & ~request.done)))
    with m.If(request.granted):
        m.d.sync += final.eq(request.is_final)
    return out, final


class CollectiveSequencerSpec(UnitSpec):
    """Each piece is sent for a credit of its own, each word once, and an operation ends by its end or by an abort.

    - Nothing is requested while what was requested before is not done.
    - DATA and RELAY are requested only for a piece for which a credit of the same dimension was used (or which has no
      dimension); a credit is used only if it is there, once at most for a piece, and for at most ``sends`` pieces.
    - Of the words 0 .. length - 1 each is in one segment that is sent and no more, if the places of the pieces do not
      go down; the same of a result. No segment is longer than g, goes beyond
      the vector, or is empty, unless its piece is; all but the last one of a piece have g words.
    - From a state other than IDLE the next is IDLE only after ``finished`` or ``cut_short``; ``finished`` is given
      only when nothing is left to be passed on.
    - A vector that has begun is taken to its end, whatever is cut short, and the first word that is loaded is the first
      one of a vector.
    - Words are loaded below V only, and put out are those of the vector. The states in which pieces are taken are left
      only when all have come, AWAIT only with the result: what the collector's proof assumes.
    """

    unit = CollectiveSequencer

    def state(self, m):
        """Follow the operation."""
        dut = self.dut
        own = dut.own
        fields = Cat(members(dut.awaited), members(own, but="empty"))
        kept = self.before(m, fields, "fields")
        n, idle = self.config.dim, dut.state == State.IDLE
        places = [own.send_place.word_select(i, ARGUMENT_BITS) for i in range(1, n)]
        m.d.comb += [
            Assume(idle | (fields == kept)),
            Assume(~dut.command.start | idle),
            Assume(own.sends <= n),
            *(Assume(low <= high) for low, high in pairwise(places)),
        ]
        self.out, self.final = follow_requests(m, dut)
        self.was = self.before(m, dut.state, "state")
        self._states(m)
        self._credits(m)
        self._words(m)
        self._vectors(m)

    def _states(self, m):
        """State how the states follow one another."""
        dut, was = self.dut, self.was
        command, gathered = dut.command, dut.gathered
        ended = self.before(m, dut.finished, "finished")
        aborted = self.before(m, command.cut_short, "cut_short")
        started = self.before(m, command.start & ~command.cut_short, "start")
        all_here = self.before(m, gathered.received >= dut.awaited.expected, "all_here")
        result = self.before(m, gathered.result_here, "result")
        idle = dut.state == State.IDLE

        def gathers(state):
            return (state == State.CREDIT) | (state == State.ENDS) | (state == State.GATHER)

        self.claim(dut.state <= State.LAST)
        self.claim(dut.busy == ~idle)
        self.claim(was != State.IDLE, idle, ended | aborted)
        self.claim(ended | aborted, idle)
        self.claim(dut.finished, (dut.state == State.LAST) & dut.pass_done & ~command.cut_short)
        self.claim(was == State.IDLE, idle | started)
        self.claim(gathers(was), ~gathers(dut.state), aborted | all_here)
        self.claim(~gathers(was), gathers(dut.state), (was == State.LOAD) | started)
        self.claim((dut.state == State.LOAD) & (was != State.LOAD), started)
        self.claim((was == State.AWAIT) & (dut.state != State.AWAIT), aborted | result)
        self.reached(ended)

    def _credits(self, m):
        """State what is requested, and for which credits."""
        dut, n, out = self.dut, self.config.dim, self.out
        command, awaited, own, gathered, request = dut.command, dut.awaited, dut.own, dut.gathered, dut.request
        begun, index = self.register("begun"), self.register("index")
        sending = (dut.state == State.SEND) & ~awaited.ring
        link, paid, used, pieces = Signal(n), Signal(n), Signal(), Signal(5)
        for i in range(n):
            with m.If(index == i):
                m.d.comb += link.eq(Cat(own.send_dim.word_select(i, DIMENSION_BITS) == j for j in range(n)))
        over = request.done & self.final & sending
        uses = gathered.use_credit.any()
        m.d.sync += used.eq((used | uses) & ~over & ~command.start & ~command.cut_short)
        with m.If(uses):
            m.d.sync += paid.eq(gathered.use_credit)
        m.d.sync += pieces.eq(Mux(command.start, 0, pieces + over))
        to_others = (request.kind == Kind.DATA) | (request.kind == Kind.RELAY)
        self.claim(request.valid, ~out)
        self.claim(request.valid, sending == to_others)
        self.claim(request.valid & sending & request.targets.any(), used & (request.targets == paid))
        self.claim(request.valid & sending, request.targets == link)
        self.claim(uses, sending & ~used & ~request.valid)
        self.claim((gathered.use_credit & ~gathered.credit) == 0)
        self.claim((gathered.use_credit & (gathered.use_credit - 1)) == 0)
        self.claim(sending, pieces < own.sends)
        self.claim(~sending | (pieces == index))
        self.claim(
            (self.was == State.SEND) & ((dut.state == State.AWAIT) | (dut.state == State.LAST)) & ~awaited.ring,
            pieces == own.sends,
        )
        asks = {
            State.CREDIT: own.receive.any(),
            State.ENDS: self.register("to_end").any(),
            State.SEND: C(1),
            State.SPREAD: Array([0, own.sends == 0, own.spread.any(), 1])[own.result],
        }
        self.invariant(out, Cat((dut.state == state) & reason for state, reason in asks.items()).any())
        self.invariant(out == self.register("waiting"))
        self.invariant(begun, sending)
        self.invariant(used, begun & (paid == link))
        self.invariant(begun & ~used, ~link.any())
        self.invariant(sending & out, begun)
        before_sending = Cat(dut.state == s for s in (State.LOAD, State.CREDIT, State.ENDS, State.GATHER)).any()
        self.invariant(before_sending, pieces == 0)
        self.reached(over & (pieces == 1) & used)

    def _words(self, m):
        """State of one word chosen at will that it is sent once."""
        dut, config, out, final = self.dut, self.config, self.out, self.final
        awaited, own, request = dut.awaited, dut.own, dut.request
        n, index = config.dim, self.register("index")
        word, sent, now, covers = Signal(config.count_bits), Signal(), Signal(), Signal()
        sends = (dut.state == State.SEND) | (dut.state == State.SPREAD)
        fresh = self.was != dut.state
        count, offset = Signal.like(dut.count), Signal.like(dut.offset)
        with m.If(request.granted):
            m.d.sync += [count.eq(dut.count), offset.eq(dut.offset)]
        m.d.comb += [
            word.eq(AnyConst(len(word))),
            Assume(word < config.max_vector),
            covers.eq((dut.offset <= word) & (word < dut.offset + dut.count)),
            now.eq(sent & ~fresh),
        ]
        m.d.sync += sent.eq(sends & (now | (request.granted & covers)))
        granted = request.granted & sends
        left = (self.was == State.SEND) & ((dut.state == State.AWAIT) | (dut.state == State.LAST))
        requested = self.before(m, request.done & final, "whole")
        spread = (self.was == State.SPREAD) & (dut.state == State.OUTPUT) & requested
        self.claim(granted & covers, ~now)
        self.claim((left | spread) & (word < dut.length), sent)
        self.claim(request.valid & sends, (dut.count <= config.segment) & (dut.offset + dut.count <= dut.length))
        self.claim(request.valid & sends & ~request.is_final, dut.count == config.segment)
        self.claim(request.valid & sends, request.body == dut.count.any())
        some = Signal()
        m.d.sync += some.eq(dut.busy & sends & ~(request.done & final) & (request.granted | (some & ~fresh)))
        self.claim(request.valid & sends & ~dut.count.any(), fresh | ~some)
        self.claim(dut.load, dut.place < config.max_vector)
        self.claim(dut.length <= config.max_vector)
        self.claim(dut.vector_out.valid, dut.place < dut.length)
        starts = Array([0, *(own.send_place.word_select(i, ARGUMENT_BITS) for i in range(1, n)), 0])
        begin = Mux(starts[index] < dut.length, starts[index], dut.length)
        stop = Signal(config.count_bits)
        next_begin = Mux(starts[index + 1] < dut.length, starts[index + 1], dut.length)
        last_piece = (index + 1 == own.sends) | awaited.ring | (dut.state == State.SPREAD)
        m.d.comb += stop.eq(Mux(last_piece, dut.length, next_begin))
        begun = self.register("begun")
        self.invariant(sends, dut.place <= stop)
        self.invariant((dut.state == State.SEND) & ~awaited.ring & ~begun, dut.place == begin)
        self.invariant(sends & out, (count == dut.count) & (offset == dut.offset) & (final == request.is_final))
        self.invariant(sends & fresh, (dut.place == 0) & ~out)
        self.invariant(sends, now == ((word < dut.place) | (out & covers)))
        self.invariant(dut.place <= config.max_vector)
        self.invariant(sends & some & ~fresh & ~out, dut.place < stop)
        self.invariant(sends & ~fresh & out, some)
        self.reached(granted & covers & (word == 2) & (index == 1))

    def _vectors(self, m):
        """State that vectors are taken whole."""
        dut, word, inside = self.dut, self.dut.vector_in, Signal(name="inside")
        dropping, loads = self.register("dropping"), self.dut.state == State.LOAD
        taken = word.valid & word.ready
        with m.If(taken):
            m.d.sync += inside.eq(~word.last)
        self.claim(inside, word.ready)
        self.claim(taken & ~inside, loads)
        self.claim(dut.load & ~dut.place.any(), ~inside)
        self.invariant(dropping, inside)
        self.invariant(loads & dropping, dut.place == 0)
        self.invariant(loads & ~dropping, inside == dut.place.any())
        self.invariant(inside & ~loads, dropping)
        self.reached(dropping & loads & taken & word.last)
