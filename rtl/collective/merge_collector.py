"""Merge collector: what comes in from the neighbours, and what of it counts."""

from amaranth import *
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

from cubecast.golden.collective.contract.bundles import COUNT_BITS
from cubecast.golden.collective.contract.config import CollectiveConfig
from cubecast.golden.collective.contract.segment import ARGUMENT_BITS, Kind
from cubecast.golden.collective.contract.states import Accepted, State
from cubecast.rtl.collective.bundle import Bundle
from cubecast.rtl.collective.segment import STAGE_BITS
from cubecast.rtl.common.pointed_memory import Foreseen

__all__ = ["MergeCollector"]


class MergeCollector(wiring.Component):
    """Accept or drop each segment, keep the credits, count the pieces, and say where a word of a vector goes.

    Parameters
    ----------
    config : CollectiveConfig
        Parameters of the node.

    Ports
    -----
    address : in, n
        Strap: the node's address.
    command__*, awaited__* : in
        Bundles of the registers.
    state, length : in, 4 and c
        Of the collective sequencer.
    stage_here : in, 4
        The stage of SENDS.
    arrival__*, bad : in
        Bundle of the receiver; a message is not whole.
    write, replace : out
        The word goes into the vector, at ``pointer``; as it is, not merged.
    gathered__* : out, gathered__use_credit : in, n
        ``received``, pieces that have come, or messages of a ring; ``credit`` by dimension; ``highest``, most hops that
        data of the node's own stage has come; ``result_here``, the result has come; all registers. The credit used in
        this cycle.
    passed__* : out, passed__relay_open, passed__use_relay, passed__use_end : in, 1, n, n
        ``relay_credit``, ``end_credits`` by dimension and ``accepted``, what becomes of the message under way, all
        registers; ``accept``, while ``head``: what becomes of this message. Back: a piece to be passed on may come; the
        credits used in this cycle.
    failed : out
        Something was not whole or too long; a register.
    strange : out, config.strange_bits
        Messages not expected or not whole; a register; only with counters.
    ahead : out, 16
        What ``pointer`` will be in the next cycle if there is no reset; with ``memories`` = block.
    pointer : out, 16
        Place of the next word; a register.

    Source: Leu and Kuo, algorithm FTTC (a node receives, merges, and then sends).
    """

    def __init__(self, config: CollectiveConfig):
        self.config = config
        n = config.dim
        super().__init__(
            {
                "address": In(n),
                "command": In(Bundle(config, "command")),
                "state": In(State),
                "awaited": In(Bundle(config, "awaited")),
                "stage_here": In(STAGE_BITS),
                "length": In(config.count_bits),
                "arrival": In(Bundle(config, "arrival")),
                "bad": In(1),
                "write": Out(1),
                "replace": Out(1),
                "gathered": Out(Bundle(config, "gathered")),
                "passed": Out(Bundle(config, "passed")),
                "failed": Out(1),
                **({"strange": Out(config.strange_bits)} if config.counters else {}),
                "pointer": Out(ARGUMENT_BITS),
                **({"ahead": Out(ARGUMENT_BITS)} if config.reads_ahead else {}),
            }
        )

    def elaborate(self, platform):
        """Build acceptance, credits and counters."""
        command, arrival, gathered, passed = self.command, self.arrival, self.gathered, self.passed
        m = Module()
        giver = self._accept(m)
        self._credits(m, giver)
        merging = Signal()
        fits = Signal()
        torn = Signal()
        now = Signal(2)
        m.d.comb += [
            merging.eq((passed.accepted == Accepted.MERGE) | (passed.accepted == Accepted.RESULT)),
            fits.eq(self.pointer < self.length),
            self.write.eq(arrival.word & merging & fits),
            self.replace.eq(passed.accepted == Accepted.RESULT),
            # A message without words ends with its head.
            now.eq(Mux(arrival.head, passed.accept, passed.accepted)),
        ]
        if self.config.counters:
            dropped = arrival.head & (passed.accept == Accepted.NONE)
            m.d.sync += self.strange.eq(self.strange + dropped + self.bad)
        reading = Foreseen(m, self.pointer, getattr(self, "ahead", None))
        with m.If(arrival.head):
            m.d.sync += passed.accepted.eq(passed.accept)
            reading.becomes(arrival.argument)
            with m.If(
                (passed.accept == Accepted.MERGE)
                & (arrival.stage == self.stage_here)
                & (arrival.hops > gathered.highest)
            ):
                m.d.sync += gathered.highest.eq(arrival.hops)
        with m.Elif(arrival.word):
            reading.becomes(self.pointer + 1)
        with m.If((arrival.word & merging & ~fits) | self.bad):
            m.d.sync += self.failed.eq(1)
        with m.If(self.bad):
            m.d.sync += torn.eq(1)
        whole = ~(torn | self.bad)
        with m.If(arrival.message_end & arrival.is_final):
            with m.If(((now == Accepted.MERGE) & whole) | ((now == Accepted.OTHER) & (arrival.kind == Kind.RING))):
                m.d.sync += gathered.received.eq(gathered.received + 1)
            with m.If((now == Accepted.RESULT) & whole):
                m.d.sync += gathered.result_here.eq(1)
        with m.If(command.start):
            m.d.sync += [
                gathered.received.eq(0),
                gathered.highest.eq(0),
                self.failed.eq(0),
                gathered.result_here.eq(0),
                torn.eq(0),
            ]
        with m.If(command.cut_short):
            m.d.sync += passed.accepted.eq(Accepted.NONE)
        return m

    def _accept(self, m):
        """Decide about the message whose head is there; return the neighbour that gives a credit, one-hot or 0."""
        awaited, arrival, gathered, passed = self.awaited, self.arrival, self.gathered, self.passed
        n = self.config.dim
        difference = Signal(ARGUMENT_BITS)
        giver = Signal(n)
        m.d.comb += difference.eq(arrival.argument ^ self.address)
        for j in range(n):
            m.d.comb += giver[j].eq(difference == 1 << j)
        gathering = Cat(self.state == state for state in (State.CREDIT, State.ENDS, State.GATHER)).any()
        expects = ~awaited.ring & gathering & (gathered.received < awaited.expected)
        awaits = ~awaited.ring & (self.state == State.AWAIT) & ~gathered.result_here
        with m.Switch(arrival.kind):
            with m.Case(Kind.CREDIT, Kind.RELAY_CREDIT, Kind.END_CREDIT):
                m.d.comb += passed.accept.eq(Mux(giver.any(), Accepted.OTHER, Accepted.NONE))
            with m.Case(Kind.DATA):
                m.d.comb += passed.accept.eq(Mux(expects, Accepted.MERGE, Accepted.NONE))
            with m.Case(Kind.RELAY):
                m.d.comb += passed.accept.eq(Mux(passed.relay_open, Accepted.OTHER, Accepted.NONE))
            with m.Case(Kind.RESULT):
                m.d.comb += passed.accept.eq(Mux(awaits, Accepted.RESULT, Accepted.NONE))
            with m.Case(Kind.RING):
                m.d.comb += passed.accept.eq(Accepted.OTHER)
        return giver

    def _credits(self, m, giver):
        """Keep the credits of all three kinds; ``giver`` is the neighbour whose credit comes, if one does."""
        arrival, gathered, passed = self.arrival, self.gathered, self.passed
        given = {
            kind: Mux(arrival.head & ~self.bad & (arrival.kind == kind), giver, 0)
            for kind in (Kind.CREDIT, Kind.RELAY_CREDIT, Kind.END_CREDIT)
        }
        m.d.sync += [
            gathered.credit.eq((gathered.credit & ~gathered.use_credit) | given[Kind.CREDIT]),
            passed.relay_credit.eq((passed.relay_credit & ~passed.use_relay) | given[Kind.RELAY_CREDIT]),
        ]
        for j in range(self.config.dim):
            count = passed.end_credits.word_select(j, COUNT_BITS)
            more = Mux(given[Kind.END_CREDIT][j], arrival.hops[:COUNT_BITS], 0)
            m.d.sync += count.eq(count + more - passed.use_end[j])
        with m.If(self.command.cut_short):
            m.d.sync += [gathered.credit.eq(0), passed.relay_credit.eq(0), passed.end_credits.eq(0)]
