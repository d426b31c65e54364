"""Collective sequencer: a node's own part in an operation."""

from amaranth import *
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

from cubecast.golden.collective.contract.config import CollectiveConfig
from cubecast.golden.collective.contract.segment import Kind
from cubecast.golden.collective.contract.states import Result, State
from cubecast.rtl.collective.segment import HOPS_BITS, STAGE_BITS, request
from cubecast.rtl.common.pointed_memory import Foreseen

__all__ = ["DIM_BITS", "HOPS_OF_END", "PLACE_BITS", "CollectiveSequencer", "one_hot"]

DIM_BITS = 4
"""Width of a dimension in a register."""

HOPS_OF_END = 4
"""Width of the number of detours that end at a node."""

PLACE_BITS = 16
"""Width of the place of a piece in a register."""


def one_hot(n: int, dimension: Value) -> Value:
    """Return the mask of a dimension, 0 if it is none of the n."""
    return Cat(dimension == j for j in range(n))


class CollectiveSequencer(wiring.Component):
    """Load a vector, let the neighbours send, wait for what they send, send on, await the result and put it out.

    Parameters
    ----------
    config : CollectiveConfig
        Parameters of the node.

    Ports
    -----
    address : in, n
        Strap: the node's address.
    start, cut_short : in
        Begin; give up.
    ring, result, empty, receive, sends, stage, way, detour, spread, next_member, own, ends, send_dim, send_place, \
expected : in
        Registers.
    received, credit, highest, result_here : in, 16, n, 8, 1
        Of the collector.
    pass_done : in
        Nothing is left to be passed on.
    granted, done : in
        The sender starts with the request; it has sent it.
    memory_data : in, w
        The word at ``place``, in OUTPUT.
    vector_in__valid, vector_in__data, vector_in__last, vector_in__ready
        The node's own vector.
    vector_out__valid, vector_out__data, vector_out__last, vector_out__ready
        The result of a merge.
    state, busy : out, 4 and 1
        A register; it is not IDLE.
    length, place : out, c
        Words of the node's vector; the word loaded, sent or put out next; registers.
    ahead : out, c
        What ``place`` will be in the next cycle if there is no reset; with ``memories`` = block.
    puts_out : out
        The state is OUTPUT, or will be in the next cycle; with ``memories`` = block.
    use_credit : out, n
        The credit used in this cycle.
    load : out
        A word goes into the memory, at ``place``.
    failing, finished : out
        The vector is too long; the operation ends in this cycle.
    sent_stage, sent_hops : out, 4 and 8
        Stage and hops of the own pieces; registers.
    request, broadcast, distant, targets, destination, kind_out, final_out, stage_out, hops_out, argument_out, body, \
offset, count : out
        Request to the sender.

    Source: Leu and Kuo, algorithm FTTC; Lin and Chen for the ring.
    """

    def __init__(self, config: CollectiveConfig):
        self.config = config
        n, c, width = config.dim, config.count_bits, config.width
        words = {"valid": Out(1), "data": Out(width), "last": Out(1), "ready": In(1)}
        super().__init__(
            {
                "address": In(n),
                "start": In(1),
                "cut_short": In(1),
                "ring": In(1),
                "result": In(2),
                "empty": In(1),
                "receive": In(n),
                "sends": In(4),
                "stage": In(STAGE_BITS),
                "way": In(HOPS_BITS),
                "detour": In(1),
                "spread": In(n),
                "next_member": In(n),
                "own": In(1),
                "ends": In(HOPS_OF_END * n),
                "send_dim": In(DIM_BITS * n),
                "send_place": In(PLACE_BITS * n),
                "expected": In(16),
                "received": In(16),
                "credit": In(n),
                "highest": In(HOPS_BITS),
                "result_here": In(1),
                "pass_done": In(1),
                "granted": In(1),
                "done": In(1),
                "memory_data": In(width),
                "vector_in": In(wiring.Signature(words)),
                "vector_out": Out(wiring.Signature(words)),
                "state": Out(State),
                "busy": Out(1),
                "length": Out(c),
                "use_credit": Out(n),
                "load": Out(1),
                "place": Out(c),
                **({"ahead": Out(c), "puts_out": Out(1)} if config.reads_ahead else {}),
                "failing": Out(1),
                "finished": Out(1),
                "sent_stage": Out(STAGE_BITS),
                "sent_hops": Out(HOPS_BITS),
                **request(config),
                "broadcast": Out(1),
                "offset": Out(c),
                "count": Out(c),
            }
        )

    def elaborate(self, platform):
        """Build the state machine."""
        m = Module()
        n = self.config.dim
        self.index = Signal(4)
        self.to_end = Signal(n)
        self.begun = Signal()
        self.waiting = Signal()
        self._place = Foreseen(m, self.place, getattr(self, "ahead", None))
        with m.If(self.granted):
            m.d.sync += self.waiting.eq(1)
        with m.If(self.done):
            m.d.sync += self.waiting.eq(0)
        m.d.comb += [
            self.busy.eq(self.state != State.IDLE),
            self.vector_out.data.eq(self.memory_data),
            self.vector_out.last.eq(self.place + 1 == self.length),
        ]
        with m.Switch(self.state):
            with m.Case(State.IDLE):
                self._idle(m)
            with m.Case(State.LOAD):
                self._load(m)
            with m.Case(State.CREDIT):
                self._credit(m)
            with m.Case(State.ENDS):
                self._ends(m)
            with m.Case(State.GATHER):
                self._gather(m)
            with m.Case(State.AWAIT), m.If(self.result_here):
                m.d.sync += self.state.eq(State.SPREAD)
                self._place.becomes(0)
            with m.Case(State.OUTPUT):
                self._output(m)
            with m.Case(State.LAST), m.If(self.pass_done):
                m.d.comb += self.finished.eq(~self.cut_short)
                m.d.sync += self.state.eq(State.IDLE)
        self._send(m)
        with m.If(self.cut_short):
            m.d.sync += [self.state.eq(State.IDLE), self.waiting.eq(0), self.begun.eq(0)]
        return m

    def _idle(self, m):
        """Begin with the own vector, if there is one."""
        ends = [self.ends.word_select(j, HOPS_OF_END).any() for j in range(self.config.dim)]
        with m.If(self.start):
            m.d.sync += self.length.eq(0)
            self._place.becomes(0)
            m.d.sync += [
                self.index.eq(0),
                self.begun.eq(0),
                self.to_end.eq(Cat(ends)),
                self.waiting.eq(0),
            ]
            with m.If(self.ring & ~self.own):
                m.d.sync += self.state.eq(State.LAST)
            with m.Elif(~self.empty):
                m.d.sync += self.state.eq(State.LOAD)
            with m.Else():
                m.d.sync += self.state.eq(Mux(self.ring, State.SEND, State.CREDIT))

    def _load(self, m):
        """Take the own vector, of what is too long the beginning."""
        fits = Signal()
        after = Signal(self.config.count_bits)
        m.d.comb += [
            self.vector_in.ready.eq(1),
            fits.eq(self.place < self.config.max_vector),
            after.eq(self.place + fits),
            self.load.eq(self.vector_in.valid & fits),
            self.failing.eq(self.vector_in.valid & ~fits),
        ]
        with m.If(self.vector_in.valid):
            self._place.becomes(after)
            with m.If(self.vector_in.last):
                m.d.sync += self.length.eq(after)
                self._place.becomes(0)
                m.d.sync += self.state.eq(Mux(self.ring, State.SEND, State.CREDIT))

    def _credit(self, m):
        """Let the neighbours send."""
        m.d.comb += [
            self.request.eq(self.receive.any() & ~self.waiting),
            self.targets.eq(self.receive),
            self.kind_out.eq(Kind.CREDIT),
            self.final_out.eq(1),
            self.argument_out.eq(self.address),
        ]
        with m.If(~self.receive.any() | self.done):
            m.d.sync += self.state.eq(State.ENDS)

    def _ends(self, m):
        """Let the last relays of detours send, one dimension after the other."""
        lowest = self.to_end & -self.to_end
        m.d.comb += [
            self.request.eq(self.to_end.any() & ~self.waiting),
            self.targets.eq(lowest),
            self.kind_out.eq(Kind.END_CREDIT),
            self.final_out.eq(1),
            self.argument_out.eq(self.address),
        ]
        for j in reversed(range(self.config.dim)):
            with m.If(self.to_end[j]):
                m.d.comb += self.hops_out.eq(self.ends.word_select(j, HOPS_OF_END))
        with m.If(~self.to_end.any()):
            m.d.sync += self.state.eq(State.GATHER)
        with m.Elif(self.done):
            m.d.sync += self.to_end.eq(self.to_end & (self.to_end - 1))

    def _gather(self, m):
        """Wait for what the others send; then it is this node's turn."""
        with m.If(self.received >= self.expected):
            self._place.becomes(0)
            with m.If(self.sends == 0):
                m.d.sync += self.state.eq(State.SPREAD)
            with m.Else():
                m.d.sync += [
                    self.state.eq(State.SEND),
                    self.index.eq(0),
                    self.sent_stage.eq(self.stage),
                    self.sent_hops.eq(self.highest + self.way),
                ]

    def _send(self, m):
        """Send the own vector or the result, segment by segment."""
        config = self.config
        n, c = config.dim, config.count_bits
        stop, left = Signal(c), Signal(c)
        final, over, last_piece = Signal(), Signal(), Signal()
        link = Signal(n)
        places = [Mux(place < self.length, place, self.length) for place in self._places()]
        dims = [self.send_dim.word_select(i, DIM_BITS) for i in range(n)]
        m.d.comb += [
            last_piece.eq(self.index + 1 == self.sends),
            stop.eq(self.length),
            left.eq(stop - self.place),
            final.eq(left <= config.segment),
            over.eq(self.done & final),
            self.offset.eq(self.place),
        ]
        with m.Switch(self.index):
            for i in range(n):
                with m.Case(i):
                    m.d.comb += link.eq(one_hot(n, dims[i]))
                    with m.If((self.state == State.SEND) & ~self.ring & ~last_piece):
                        m.d.comb += stop.eq(places[i])
        with m.If((self.state == State.SEND) | (self.state == State.SPREAD)):
            m.d.comb += [
                self.count.eq(Mux(final, left, config.segment)),
                self.body.eq(left.any()),
                self.final_out.eq(final),
                self.argument_out.eq(self.place),
            ]
        with m.Switch(self.state):
            with m.Case(State.SEND):
                with m.If(self.ring):
                    self._send_ring(m, over)
                with m.Else():
                    self._send_piece(m, link, stop, over, last_piece)
                with m.If(self.done):
                    # place + count, without waiting for the count
                    self._place.becomes(Mux(final, stop, self.place + config.segment))
            with m.Case(State.SPREAD):
                self._spread(m, over)

    def _places(self):
        """Return for each piece the place at which the one after it begins."""
        n = self.config.dim
        return [self.send_place.word_select(i + 1, PLACE_BITS) if i + 1 < n else C(0, PLACE_BITS) for i in range(n)]

    def _send_ring(self, m, over):
        """Send the own message to the next member."""
        m.d.comb += [
            self.request.eq(~self.waiting),
            self.distant.eq(1),
            self.destination.eq(self.next_member),
            self.kind_out.eq(Kind.RING),
            self.argument_out.eq(self.address),
        ]
        with m.If(over):
            m.d.sync += self.state.eq(State.LAST)

    def _send_piece(self, m, link, stop, over, last_piece):
        """Send a piece to a neighbour, for the credit that it gave."""
        with m.If(~self.begun), m.If((self.credit & link).any() | ~link.any()):
            m.d.comb += self.use_credit.eq(link)
            m.d.sync += self.begun.eq(1)
            with m.If(self.place > stop):
                self._place.becomes(stop)
        with m.Else():
            m.d.comb += [
                self.request.eq(~self.waiting),
                self.targets.eq(link),
                self.kind_out.eq(Mux(self.detour, Kind.RELAY, Kind.DATA)),
                self.stage_out.eq(self.stage),
                self.hops_out.eq(self.sent_hops),
            ]
        with m.If(over):
            m.d.sync += self.begun.eq(0)
            with m.If(~last_piece):
                m.d.sync += self.index.eq(self.index + 1)
            with m.Else():
                m.d.sync += self.state.eq(Mux(self.result.any(), State.AWAIT, State.LAST))

    def _spread(self, m, over):
        """Send the result to others, if this node is the one to do so."""
        nobody = Signal()
        sink = self.sends == 0
        with m.Switch(self.result):
            with m.Case(Result.NONE):
                m.d.comb += nobody.eq(1)
            with m.Case(Result.BROADCAST):
                m.d.comb += nobody.eq(~sink)
            with m.Case(Result.SPREAD):
                m.d.comb += nobody.eq(self.spread == 0)
        m.d.comb += [
            self.request.eq(~nobody & ~self.waiting),
            self.broadcast.eq(self.result == Result.BROADCAST),
            self.targets.eq(self.spread),
            self.kind_out.eq(Kind.RESULT),
        ]
        with m.If(nobody | over):
            m.d.sync += self.state.eq(State.OUTPUT)
            self._place.becomes(0)
            if self.config.reads_ahead:
                m.d.comb += self.puts_out.eq(~self.cut_short)
        with m.Elif(self.done):
            self._place.becomes(self.place + self.config.segment)

    def _output(self, m):
        """Put the vector out."""
        if self.config.reads_ahead:
            m.d.comb += self.puts_out.eq(1)
        with m.If(self.length == 0):
            m.d.sync += self.state.eq(State.LAST)
        with m.Else():
            m.d.comb += self.vector_out.valid.eq(1)
            with m.If(self.vector_out.ready):
                self._place.becomes(self.place + 1)
                with m.If(self.vector_out.last):
                    m.d.sync += self.state.eq(State.LAST)
