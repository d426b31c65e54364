"""Merge collector: what comes in from the neighbours, and what of it counts."""

from amaranth import *
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

from cubecast.golden.collective.contract.config import CollectiveConfig
from cubecast.golden.collective.contract.segment import ARGUMENT_BITS, Kind
from cubecast.golden.collective.contract.states import Accepted, State
from cubecast.rtl.collective.segment import HOPS_BITS, STAGE_BITS, fields
from cubecast.rtl.common.pointed_memory import Foreseen

__all__ = ["END_BITS", "MergeCollector"]

END_BITS = 4
"""Width of a count of end credits."""


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
    start, cut_short : in
        An operation begins; an operation is aborted.
    state, length : in, 4 and c
        Of the collective sequencer.
    ring, expected, stage_here : in, 1, 16, 4
        Registers; ``stage_here`` is the stage of SENDS.
    relay_open : in
        A piece to be passed on may come.
    use_credit, use_relay, use_end : in, n
        Credits that are used in this cycle.
    head, word, message_end, bad, kind, is_final, stage, hops, argument : in
        Of the receiver.
    accept : out, 2
        While ``head``: what becomes of this message.
    write, replace : out
        The word goes into the vector, at ``pointer``; as it is, not merged.
    received : out, 16
        Pieces that have come, or messages of a ring; a register.
    credit, relay_credit, end_credits : out, n, n, 4 * n
        Credits by dimension; registers.
    highest : out, 8
        Most hops that data of the node's own stage has come; a register.
    failed : out
        Something was not whole or too long; a register.
    strange : out, config.strange_bits
        Messages not expected or not whole; a register; only with counters.
    result_here : out
        The result has come; a register.
    ahead : out, 16
        What ``pointer`` will be in the next cycle if there is no reset; with ``memories`` = block.
    pointer, accepted : out, 16 and 2
        Place of the next word; what becomes of the message under way; registers.

    Source: Leu and Kuo, algorithm FTTC (a node receives, merges, and then sends).
    """

    def __init__(self, config: CollectiveConfig):
        self.config = config
        n = config.dim
        super().__init__(
            {
                "address": In(n),
                "start": In(1),
                "cut_short": In(1),
                "state": In(State),
                "ring": In(1),
                "expected": In(16),
                "stage_here": In(STAGE_BITS),
                "length": In(config.count_bits),
                "relay_open": In(1),
                "use_credit": In(n),
                "use_relay": In(n),
                "use_end": In(n),
                "head": In(1),
                "word": In(1),
                "message_end": In(1),
                "bad": In(1),
                **{name: member.flip() for name, member in fields().items()},
                "argument": In(ARGUMENT_BITS),
                "accept": Out(2),
                "write": Out(1),
                "replace": Out(1),
                "received": Out(16),
                "credit": Out(n),
                "relay_credit": Out(n),
                "end_credits": Out(END_BITS * n),
                "highest": Out(HOPS_BITS),
                "failed": Out(1),
                **({"strange": Out(config.strange_bits)} if config.counters else {}),
                "result_here": Out(1),
                "pointer": Out(ARGUMENT_BITS),
                **({"ahead": Out(ARGUMENT_BITS)} if config.reads_ahead else {}),
                "accepted": Out(2),
            }
        )

    def elaborate(self, platform):
        """Build acceptance, credits and counters."""
        m = Module()
        giver = self._accept(m)
        self._credits(m, giver)
        merging = Signal()
        fits = Signal()
        now = Signal(2)
        m.d.comb += [
            merging.eq((self.accepted == Accepted.MERGE) | (self.accepted == Accepted.RESULT)),
            fits.eq(self.pointer < self.length),
            self.write.eq(self.word & merging & fits),
            self.replace.eq(self.accepted == Accepted.RESULT),
            # A message without words ends with its head.
            now.eq(Mux(self.head, self.accept, self.accepted)),
        ]
        if self.config.counters:
            dropped = self.head & (self.accept == Accepted.NONE)
            m.d.sync += self.strange.eq(self.strange + dropped + self.bad)
        reading = Foreseen(m, self.pointer, getattr(self, "ahead", None))
        with m.If(self.head):
            m.d.sync += self.accepted.eq(self.accept)
            reading.becomes(self.argument)
            with m.If((self.accept == Accepted.MERGE) & (self.stage == self.stage_here) & (self.hops > self.highest)):
                m.d.sync += self.highest.eq(self.hops)
        with m.Elif(self.word):
            reading.becomes(self.pointer + 1)
        with m.If((self.word & merging & ~fits) | self.bad):
            m.d.sync += self.failed.eq(1)
        with m.If(self.message_end & self.is_final):
            with m.If((now == Accepted.MERGE) | ((now == Accepted.OTHER) & (self.kind == Kind.RING))):
                m.d.sync += self.received.eq(self.received + 1)
            with m.If(now == Accepted.RESULT):
                m.d.sync += self.result_here.eq(1)
        with m.If(self.start):
            m.d.sync += [
                self.received.eq(0),
                self.highest.eq(0),
                self.failed.eq(0),
                self.result_here.eq(0),
            ]
        with m.If(self.cut_short):
            m.d.sync += self.accepted.eq(Accepted.NONE)
        return m

    def _accept(self, m):
        """Decide about the message whose head is there; return the neighbour that gives a credit, one-hot or 0."""
        n = self.config.dim
        difference = Signal(ARGUMENT_BITS)
        giver = Signal(n)
        m.d.comb += difference.eq(self.argument ^ self.address)
        for j in range(n):
            m.d.comb += giver[j].eq(difference == 1 << j)
        gathering = Cat(self.state == state for state in (State.CREDIT, State.ENDS, State.GATHER)).any()
        expects = ~self.ring & gathering & (self.received < self.expected)
        awaits = ~self.ring & (self.state == State.AWAIT) & ~self.result_here
        with m.Switch(self.kind):
            with m.Case(Kind.CREDIT, Kind.RELAY_CREDIT, Kind.END_CREDIT):
                m.d.comb += self.accept.eq(Mux(giver.any(), Accepted.OTHER, Accepted.NONE))
            with m.Case(Kind.DATA):
                m.d.comb += self.accept.eq(Mux(expects, Accepted.MERGE, Accepted.NONE))
            with m.Case(Kind.RELAY):
                m.d.comb += self.accept.eq(Mux(self.relay_open, Accepted.OTHER, Accepted.NONE))
            with m.Case(Kind.RESULT):
                m.d.comb += self.accept.eq(Mux(awaits, Accepted.RESULT, Accepted.NONE))
            with m.Case(Kind.RING):
                m.d.comb += self.accept.eq(Accepted.OTHER)
        return giver

    def _credits(self, m, giver):
        """Keep the credits of all three kinds; ``giver`` is the neighbour whose credit comes, if one does."""
        given = {
            kind: Mux(self.head & (self.kind == kind), giver, 0)
            for kind in (Kind.CREDIT, Kind.RELAY_CREDIT, Kind.END_CREDIT)
        }
        m.d.sync += [
            self.credit.eq((self.credit & ~self.use_credit) | given[Kind.CREDIT]),
            self.relay_credit.eq((self.relay_credit & ~self.use_relay) | given[Kind.RELAY_CREDIT]),
        ]
        for j in range(self.config.dim):
            count = self.end_credits.word_select(j, END_BITS)
            more = Mux(given[Kind.END_CREDIT][j], self.hops[:END_BITS], 0)
            m.d.sync += count.eq(count + more - self.use_end[j])
        with m.If(self.cut_short):
            m.d.sync += [self.credit.eq(0), self.relay_credit.eq(0), self.end_credits.eq(0)]
