"""What the merge collector has to promise, if receiver and sequencer keep what is proven of them."""

from amaranth.asserts import AnyConst
from amaranth.hdl import Array, Assume, Cat, Mux, Signal

from cubecast.golden.collective.contract.bundles import COUNT_BITS
from cubecast.golden.collective.contract.segment import Kind
from cubecast.golden.collective.contract.states import Accepted, State
from cubecast.rtl.collective.merge_collector import MergeCollector
from tests.collective.unit_spec import UnitSpec

__all__ = ["MergeCollectorSpec", "follow_messages"]


def follow_messages(m, dut):
    """Assume of ``head``, ``word``, ``message_end``, ``bad`` and the fields what the receiver's proof says.

    Parameters
    ----------
    m : Module
        The specification.
    dut : Component
        A unit with these inputs (``bad`` may be missing).

    Returns
    -------
    Signal
        Register: a message is between its head and its end, and not to be dropped.
    """
    arrival = dut.arrival
    inside, fields = Signal(), Cat(arrival.kind, arrival.is_final, arrival.stage, arrival.hops)
    kept = Signal.like(fields, name="fields_before")
    m.d.sync += [
        inside.eq((inside | arrival.head) & ~arrival.message_end & ~dut.command.cut_short),
        kept.eq(fields),
    ]
    m.d.comb += [
        Assume(~(arrival.head & (inside | arrival.word))),
        Assume(~arrival.word | inside),
        Assume(~arrival.message_end | arrival.head | arrival.word),
        Assume(~inside | (fields == kept)),
    ]
    if "bad" in dut.signature.members:
        m.d.comb += Assume(~dut.bad | arrival.message_end | ~(inside | arrival.head))
    return inside


class MergeCollectorSpec(UnitSpec):
    """Pieces are counted once, credits are neither lost nor doubled, and nothing else writes into the vector.

    - ``received`` goes up by one exactly at the end of the final segment of a piece that was taken, if no message was
      torn since the start, or of a ring's message, and never above ``expected``; so is the result there.
    - For each dimension: the credits that came whole and were not used since are those that are kept; so none that is
      used while another comes is lost, and none is there twice. An aborted operation takes them all away.
    - A word is written if and only if it belongs to a DATA message whose head came in CREDIT, ENDS or GATHER with
      pieces still to come, which then still is so, or to a RESULT message whose head came in AWAIT before the result
      was complete, which then still is so; at the place of the head's argument plus the words since, and only below
      ``length``. A word of theirs that is not written is reported.
    """

    unit = MergeCollector

    def state(self, m):
        """Follow messages, pieces and the credits of one dimension."""
        dut = self.dut
        awaited, arrival = dut.awaited, dut.arrival
        self._operation(m)
        inside = follow_messages(m, dut)
        self.ring_here = awaited.ring & (dut.state != State.IDLE) & (dut.gathered.received < awaited.expected)
        m.d.comb += Assume(~(arrival.head & (arrival.kind == Kind.RING)) | self.ring_here)
        self._pieces(m, inside)
        self._one_dimension(m)

    def _operation(self, m):
        """Assume of the state and the registers what is proven of the sequencer."""
        dut = self.dut
        command, awaited, gathered = dut.command, dut.awaited, dut.gathered
        before = self.before(m, dut.state, "state")
        fields = Cat(awaited.ring, awaited.expected)
        fields_before = self.before(m, fields, "operation")
        started = self.before(m, command.start, "start")
        ended = self.before(m, command.cut_short, "cut_short")
        complete = self.before(m, gathered.received >= awaited.expected, "complete")
        result_here = self.before(m, gathered.result_here, "result_here")
        self.gathering = Signal()

        def gathers(state):
            return (state == State.CREDIT) | (state == State.ENDS) | (state == State.GATHER)

        m.d.comb += [
            dut.address.eq(AnyConst(len(dut.address))),
            self.gathering.eq(gathers(dut.state)),
            Assume(~command.start | ((dut.state == State.IDLE) & ~command.cut_short)),
            Assume((dut.state == State.IDLE) | (fields == fields_before)),
            Assume(~ended | (dut.state == State.IDLE)),
            Assume((dut.state != State.LOAD) | (before == State.LOAD) | started),
            Assume(~self.gathering | gathers(before) | (before == State.LOAD) | started),
            Assume(~gathers(before) | ended | self.gathering | (complete & (dut.state != State.IDLE))),
            Assume((dut.state == State.IDLE) | started | (before != State.IDLE)),
            Assume((before == State.IDLE) | (dut.state != State.IDLE) | ended | complete | ~fields_before[0]),
            Assume((before != State.AWAIT) | ended | (dut.state == State.AWAIT) | result_here),
        ]

    def _pieces(self, m, inside):
        """Follow what is taken of the messages, and count."""
        dut, gathering = self.dut, self.gathering
        command, awaited, arrival, gathered, passed = dut.command, dut.awaited, dut.arrival, dut.gathered, dut.passed
        taken, now = Signal(Accepted), Signal(Accepted)
        place, pieces = Signal.like(dut.pointer), Signal.like(gathered.received)
        torn = Signal()
        m.d.sync += torn.eq(~command.start & (torn | dut.bad))
        m.d.comb += now.eq(taken)
        with m.If(arrival.head):
            m.d.comb += now.eq(Accepted.NONE)
            with m.If((arrival.kind == Kind.DATA) & ~awaited.ring & gathering & (pieces < awaited.expected)):
                m.d.comb += now.eq(Accepted.MERGE)
            with m.If(
                (arrival.kind == Kind.RESULT) & ~awaited.ring & (dut.state == State.AWAIT) & ~gathered.result_here
            ):
                m.d.comb += now.eq(Accepted.RESULT)
            with m.If(arrival.kind == Kind.RING):
                m.d.comb += now.eq(Accepted.OTHER)
        complete = arrival.message_end & arrival.is_final
        whole = ~(torn | dut.bad)
        counts = complete & (((now == Accepted.MERGE) & whole) | (now == Accepted.OTHER))
        result_before = self.before(m, gathered.result_here & ~command.start, "result_before")
        completes = self.before(m, complete & (now == Accepted.RESULT) & whole & ~command.start, "completes")
        into = (taken == Accepted.MERGE) | (taken == Accepted.RESULT)
        overflow = self.before(m, arrival.word & into & (place >= dut.length) & ~command.start, "overflow")
        m.d.sync += [
            taken.eq(Mux(command.cut_short | arrival.message_end, Accepted.NONE, now)),
            place.eq(Mux(arrival.head, arrival.argument, place + arrival.word)),
            pieces.eq(Mux(command.start, 0, pieces + counts)),
        ]
        self.claim(gathered.received == pieces)
        self.claim(gathered.result_here == (result_before | completes))
        self.invariant(self.register("torn") == torn)
        self.claim(dut.state != State.IDLE, gathered.received <= awaited.expected)
        self.claim(dut.write == (arrival.word & into & (place < dut.length)))
        self.claim(dut.write, ~awaited.ring & (dut.pointer == place) & (place < dut.length))
        self.claim(dut.write & ~dut.replace, gathering & (pieces < awaited.expected))
        self.claim(dut.write & dut.replace, (dut.state == State.AWAIT) & ~gathered.result_here)
        self.claim(dut.write, dut.replace == (taken == Accepted.RESULT))
        self.claim(overflow, dut.failed)
        merging = inside & (taken == Accepted.MERGE)
        resulting = inside & (taken == Accepted.RESULT)
        self.invariant(merging, gathering & ~awaited.ring & (pieces < awaited.expected))
        self.invariant(resulting, (dut.state == State.AWAIT) & ~awaited.ring & ~gathered.result_here)
        self.invariant((dut.state == State.LOAD) & ~awaited.ring, gathered.received == 0)
        self.invariant(inside | (taken == Accepted.NONE))
        for what in (Accepted.MERGE, Accepted.RESULT):
            self.invariant(inside, (passed.accepted == what) == (taken == what))
            self.invariant(taken == what, dut.pointer == place)
        counted = inside & (arrival.kind == Kind.RING)
        self.invariant(counted, (passed.accepted == Accepted.OTHER) == (taken == Accepted.OTHER))
        self.invariant(taken == Accepted.OTHER, (arrival.kind == Kind.RING) & self.ring_here)
        self.reached(counts & (pieces == 1) & ~awaited.ring & (place == 2))
        self.reached(dut.write & dut.replace)
        self.reached(complete & (now == Accepted.MERGE) & torn & ~dut.bad)

    def _one_dimension(self, m):
        """Keep account of the credits of one dimension."""
        dut, n = self.dut, self.config.dim
        command, arrival, gathered, passed = dut.command, dut.arrival, dut.gathered, dut.passed
        chosen = Signal(range(n))
        m.d.comb += [chosen.eq(AnyConst(len(chosen))), Assume(chosen < n)]
        from_there = Signal()
        neighbours = Array([1 << j for j in range(n)])
        m.d.comb += from_there.eq(arrival.head & ~dut.bad & (arrival.argument == (dut.address ^ neighbours[chosen])))
        for kind, kept, use in (
            (Kind.CREDIT, gathered.credit, gathered.use_credit),
            (Kind.RELAY_CREDIT, passed.relay_credit, passed.use_relay),
        ):
            account = Signal(2, name=f"account_{kind.name.lower()}")
            comes, goes = from_there & (arrival.kind == kind), (use >> chosen)[0]
            # A neighbour gives one credit at a time, and none is used that is not there.
            m.d.comb += [Assume(~comes | (account == 0) | goes), Assume(~goes | (account != 0))]
            m.d.sync += account.eq(Mux(command.cut_short, 0, account + comes - goes))
            self.claim((kept >> chosen)[0] == account)
            self.reached(comes & goes)
        ends = Signal(COUNT_BITS)
        comes, goes = from_there & (arrival.kind == Kind.END_CREDIT), (passed.use_end >> chosen)[0]
        m.d.sync += ends.eq(Mux(command.cut_short, 0, ends + Mux(comes, arrival.hops, 0) - goes))
        self.claim(passed.end_credits.word_select(chosen, COUNT_BITS) == ends)
