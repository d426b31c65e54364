"""What the merge collector has to promise, if receiver and sequencer keep what is proven of them."""

from amaranth.asserts import AnyConst
from amaranth.hdl import Array, Assume, Cat, Mux, Signal

from cubecast.golden.collective.contract.segment import Kind
from cubecast.golden.collective.contract.states import Accepted, State
from cubecast.rtl.collective.merge_collector import END_BITS, MergeCollector
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
    inside, fields = Signal(), Cat(dut.kind, dut.is_final, dut.stage, dut.hops)
    kept = Signal.like(fields, name="fields_before")
    m.d.sync += [inside.eq((inside | dut.head) & ~dut.message_end & ~dut.cut_short), kept.eq(fields)]
    m.d.comb += [
        Assume(~(dut.head & (inside | dut.word))),
        Assume(~dut.word | inside),
        Assume(~dut.message_end | dut.head | dut.word),
        Assume(~inside | (fields == kept)),
    ]
    if "bad" in dut.signature.members:
        m.d.comb += Assume(~dut.bad | dut.message_end | ~(inside | dut.head))
    return inside


class MergeCollectorSpec(UnitSpec):
    """Pieces are counted once, credits are neither lost nor doubled, and nothing else writes into the vector.

    - ``received`` goes up by one exactly at the end of the final segment of a piece that was taken, or of a ring's
      message, and never above ``expected``.
    - For each dimension: the credits that came and were not used since are those that are kept; so none that is used
      while another comes is lost, and none is there twice. An aborted operation takes them all away.
    - A word is written if and only if it belongs to a DATA message whose head came in CREDIT, ENDS or GATHER with
      pieces still to come, which then still is so, or to a RESULT message whose head came in AWAIT before the result
      was complete, which then still is so; at the place of the head's argument plus the words since, and only below
      ``length``. A word of theirs that is not written is reported.
    """

    unit = MergeCollector

    def state(self, m):
        """Follow messages, pieces and the credits of one dimension."""
        dut = self.dut
        self._operation(m)
        inside = follow_messages(m, dut)
        self.ring_here = dut.ring & (dut.state != State.IDLE) & (dut.received < dut.expected)
        m.d.comb += Assume(~(dut.head & (dut.kind == Kind.RING)) | self.ring_here)
        self._pieces(m, inside)
        self._one_dimension(m)

    def _operation(self, m):
        """Assume of the state and the registers what is proven of the sequencer."""
        dut = self.dut
        before = self.before(m, dut.state, "state")
        fields = Cat(dut.ring, dut.expected)
        fields_before = self.before(m, fields, "operation")
        started = self.before(m, dut.start, "start")
        ended = self.before(m, dut.cut_short, "cut_short")
        complete = self.before(m, dut.received >= dut.expected, "complete")
        result_here = self.before(m, dut.result_here, "result_here")
        self.gathering = Signal()

        def gathers(state):
            return (state == State.CREDIT) | (state == State.ENDS) | (state == State.GATHER)

        m.d.comb += [
            dut.address.eq(AnyConst(len(dut.address))),
            self.gathering.eq(gathers(dut.state)),
            Assume(~dut.start | ((dut.state == State.IDLE) & ~dut.cut_short)),
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
        taken, now = Signal(Accepted), Signal(Accepted)
        place, pieces = Signal.like(dut.pointer), Signal.like(dut.received)
        m.d.comb += now.eq(taken)
        with m.If(dut.head):
            m.d.comb += now.eq(Accepted.NONE)
            with m.If((dut.kind == Kind.DATA) & ~dut.ring & gathering & (pieces < dut.expected)):
                m.d.comb += now.eq(Accepted.MERGE)
            with m.If((dut.kind == Kind.RESULT) & ~dut.ring & (dut.state == State.AWAIT) & ~dut.result_here):
                m.d.comb += now.eq(Accepted.RESULT)
            with m.If(dut.kind == Kind.RING):
                m.d.comb += now.eq(Accepted.OTHER)
        complete = dut.message_end & dut.is_final
        counts = complete & ((now == Accepted.MERGE) | (now == Accepted.OTHER))
        into = (taken == Accepted.MERGE) | (taken == Accepted.RESULT)
        overflow = self.before(m, dut.word & into & (place >= dut.length) & ~dut.start, "overflow")
        m.d.sync += [
            taken.eq(Mux(dut.cut_short | dut.message_end, Accepted.NONE, now)),
            place.eq(Mux(dut.head, dut.argument, place + dut.word)),
            pieces.eq(Mux(dut.start, 0, pieces + counts)),
        ]
        self.claim(dut.received == pieces)
        self.claim(dut.state != State.IDLE, dut.received <= dut.expected)
        self.claim(dut.write == (dut.word & into & (place < dut.length)))
        self.claim(dut.write, ~dut.ring & (dut.pointer == place))
        self.claim(dut.write & ~dut.replace, gathering & (pieces < dut.expected))
        self.claim(dut.write & dut.replace, (dut.state == State.AWAIT) & ~dut.result_here)
        self.claim(dut.write, dut.replace == (taken == Accepted.RESULT))
        self.claim(overflow, dut.failed)
        merging = inside & (taken == Accepted.MERGE)
        resulting = inside & (taken == Accepted.RESULT)
        self.invariant(merging, gathering & ~dut.ring & (pieces < dut.expected))
        self.invariant(resulting, (dut.state == State.AWAIT) & ~dut.ring & ~dut.result_here)
        self.invariant((dut.state == State.LOAD) & ~dut.ring, dut.received == 0)
        self.invariant(inside | (taken == Accepted.NONE))
        for what in (Accepted.MERGE, Accepted.RESULT):
            self.invariant(inside, (dut.accepted == what) == (taken == what))
            self.invariant(taken == what, dut.pointer == place)
        counted = inside & (dut.kind == Kind.RING)
        self.invariant(counted, (dut.accepted == Accepted.OTHER) == (taken == Accepted.OTHER))
        self.invariant(taken == Accepted.OTHER, (dut.kind == Kind.RING) & self.ring_here)
        self.reached(counts & (pieces == 1) & ~dut.ring & (place == 2))
        self.reached(dut.write & dut.replace)

    def _one_dimension(self, m):
        """Keep account of the credits of one dimension."""
        dut, n = self.dut, self.config.dim
        chosen = Signal(range(n))
        m.d.comb += [chosen.eq(AnyConst(len(chosen))), Assume(chosen < n)]
        from_there = Signal()
        neighbours = Array([1 << j for j in range(n)])
        m.d.comb += from_there.eq(dut.head & (dut.argument == (dut.address ^ neighbours[chosen])))
        for kind, kept, use in (
            (Kind.CREDIT, dut.credit, dut.use_credit),
            (Kind.RELAY_CREDIT, dut.relay_credit, dut.use_relay),
        ):
            account = Signal(2, name=f"account_{kind.name.lower()}")
            comes, goes = from_there & (dut.kind == kind), (use >> chosen)[0]
            # A neighbour gives one credit at a time, and none is used that is not there.
            m.d.comb += [Assume(~comes | (account == 0) | goes), Assume(~goes | (account != 0))]
            m.d.sync += account.eq(Mux(dut.cut_short, 0, account + comes - goes))
            self.claim((kept >> chosen)[0] == account)
            self.reached(comes & goes)
        ends = Signal(END_BITS)
        comes, goes = from_there & (dut.kind == Kind.END_CREDIT), (dut.use_end >> chosen)[0]
        m.d.sync += ends.eq(Mux(dut.cut_short, 0, ends + Mux(comes, dut.hops, 0) - goes))
        self.claim(dut.end_credits.word_select(chosen, END_BITS) == ends)
