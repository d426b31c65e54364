"""Collective sequencer: a node's own part in an operation."""

from amaranth import *
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

from cubecast.golden.collective.contract.bundles import COUNT_BITS, DIMENSION_BITS
from cubecast.golden.collective.contract.config import CollectiveConfig
from cubecast.golden.collective.contract.segment import ARGUMENT_BITS, Kind
from cubecast.golden.collective.contract.states import Result, State
from cubecast.rtl.collective.bundle import Bundle
from cubecast.rtl.collective.segment import HOPS_BITS, STAGE_BITS
from cubecast.rtl.common.pointed_memory import Foreseen

__all__ = ["CollectiveSequencer", "one_hot"]


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
    command__*, awaited__*, own__* : in
        Bundles of the registers.
    gathered__* : in, gathered__use_credit : out, n
        Bundle of the collector; the credit used in this cycle.
    pass_done : in
        Nothing is left to be passed on.
    memory_data : in, w
        The word at ``place``, in OUTPUT.
    vector_in__valid, vector_in__data, vector_in__last, vector_in__ready
        The node's own vector; of one in whose middle an operation is cut short the rest is taken and dropped.
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
    load : out
        A word goes into the memory, at ``place``.
    failing, finished : out
        The vector is too long; the operation ends in this cycle.
    sent_stage, sent_hops : out, 4 and 8
        Stage and hops of the own pieces; registers.
    request__*, broadcast, offset, count : out
        Bundle to the sender, and what only this sequencer asks for.
    request__granted, request__done : in
        The sender starts with the request; it has sent it.

    Source: Leu and Kuo, algorithm FTTC; Lin and Chen for the ring.
    """

    def __init__(self, config: CollectiveConfig):
        self.config = config
        n, c, width = config.dim, config.count_bits, config.width
        words = {"valid": Out(1), "data": Out(width), "last": Out(1), "ready": In(1)}
        super().__init__(
            {
                "address": In(n),
                **{name: In(Bundle(config, name)) for name in ("command", "awaited", "own", "gathered")},
                "pass_done": In(1),
                "memory_data": In(width),
                "vector_in": In(wiring.Signature(words)),
                "vector_out": Out(wiring.Signature(words)),
                "state": Out(State),
                "busy": Out(1),
                "length": Out(c),
                "load": Out(1),
                "place": Out(c),
                **({"ahead": Out(c), "puts_out": Out(1)} if config.reads_ahead else {}),
                "failing": Out(1),
                "finished": Out(1),
                "sent_stage": Out(STAGE_BITS),
                "sent_hops": Out(HOPS_BITS),
                "request": Out(Bundle(config, "request")),
                "broadcast": Out(1),
                "offset": Out(c),
                "count": Out(c),
            }
        )

    def elaborate(self, platform):
        """Build the state machine."""
        command, request = self.command, self.request
        m = Module()
        n = self.config.dim
        self.index = Signal(4)
        self.to_end = Signal(n)
        self.begun = Signal()
        self.waiting = Signal()
        self.dropping = Signal()
        self._place = Foreseen(m, self.place, getattr(self, "ahead", None))
        with m.If(request.granted):
            m.d.sync += self.waiting.eq(1)
        with m.If(request.done):
            m.d.sync += self.waiting.eq(0)
        m.d.comb += [
            self.busy.eq(self.state != State.IDLE),
            self.vector_in.ready.eq((self.state == State.LOAD) | self.dropping),
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
            with m.Case(State.AWAIT), m.If(self.gathered.result_here):
                m.d.sync += self.state.eq(State.SPREAD)
                self._place.becomes(0)
            with m.Case(State.OUTPUT):
                self._output(m)
            with m.Case(State.LAST), m.If(self.pass_done):
                m.d.comb += self.finished.eq(~command.cut_short)
                m.d.sync += self.state.eq(State.IDLE)
        self._send(m)
        self._drop(m)
        with m.If(command.cut_short):
            m.d.sync += [self.state.eq(State.IDLE), self.waiting.eq(0), self.begun.eq(0)]
        return m

    def _idle(self, m):
        """Begin with the own vector, if there is one."""
        awaited = self.awaited
        ends = [self.own.ends.word_select(j, COUNT_BITS).any() for j in range(self.config.dim)]
        with m.If(self.command.start):
            m.d.sync += self.length.eq(0)
            self._place.becomes(0)
            m.d.sync += [
                self.index.eq(0),
                self.begun.eq(0),
                self.to_end.eq(Cat(ends)),
                self.waiting.eq(0),
            ]
            with m.If(awaited.ring & ~self.own.own):
                m.d.sync += self.state.eq(State.LAST)
            with m.Elif(~self.own.empty):
                m.d.sync += self.state.eq(State.LOAD)
            with m.Else():
                m.d.sync += self.state.eq(Mux(awaited.ring, State.SEND, State.CREDIT))

    def _load(self, m):
        """Take the own vector, of what is too long the beginning."""
        taken, fits = Signal(), Signal()
        after = Signal(self.config.count_bits)
        m.d.comb += [
            taken.eq(self.vector_in.valid & ~self.dropping),
            fits.eq(self.place < self.config.max_vector),
            after.eq(self.place + fits),
            self.load.eq(taken & fits),
            self.failing.eq(taken & ~fits),
        ]
        with m.If(taken):
            self._place.becomes(after)
            with m.If(self.vector_in.last):
                m.d.sync += self.length.eq(after)
                self._place.becomes(0)
                m.d.sync += self.state.eq(Mux(self.awaited.ring, State.SEND, State.CREDIT))

    def _drop(self, m):
        """Let the rest of a vector go that an abort came into: what offers it cannot take it back."""
        word = self.vector_in
        with m.If(self.dropping):
            m.d.sync += self.dropping.eq(~(word.valid & word.last))
        with m.Elif((self.state == State.LOAD) & self.command.cut_short):
            m.d.sync += self.dropping.eq(Mux(word.valid, ~word.last, self.place.any()))

    def _credit(self, m):
        """Let the neighbours send."""
        own, request = self.own, self.request
        m.d.comb += [
            request.valid.eq(own.receive.any() & ~self.waiting),
            request.targets.eq(own.receive),
            request.kind.eq(Kind.CREDIT),
            request.is_final.eq(1),
            request.argument.eq(self.address),
        ]
        with m.If(~own.receive.any() | request.done):
            m.d.sync += self.state.eq(State.ENDS)

    def _ends(self, m):
        """Let the last relays of detours send, one dimension after the other."""
        request = self.request
        lowest = self.to_end & -self.to_end
        m.d.comb += [
            request.valid.eq(self.to_end.any() & ~self.waiting),
            request.targets.eq(lowest),
            request.kind.eq(Kind.END_CREDIT),
            request.is_final.eq(1),
            request.argument.eq(self.address),
        ]
        for j in reversed(range(self.config.dim)):
            with m.If(self.to_end[j]):
                m.d.comb += request.hops.eq(self.own.ends.word_select(j, COUNT_BITS))
        with m.If(~self.to_end.any()):
            m.d.sync += self.state.eq(State.GATHER)
        with m.Elif(request.done):
            m.d.sync += self.to_end.eq(self.to_end & (self.to_end - 1))

    def _gather(self, m):
        """Wait for what the others send; then it is this node's turn."""
        own, gathered = self.own, self.gathered
        with m.If(gathered.received >= self.awaited.expected):
            self._place.becomes(0)
            with m.If(own.sends == 0):
                m.d.sync += self.state.eq(State.SPREAD)
            with m.Else():
                m.d.sync += [
                    self.state.eq(State.SEND),
                    self.index.eq(0),
                    self.sent_stage.eq(own.stage),
                    self.sent_hops.eq(gathered.highest + own.way),
                ]

    def _send(self, m):
        """Send the own vector or the result, segment by segment."""
        awaited, own, request = self.awaited, self.own, self.request
        config = self.config
        n, c = config.dim, config.count_bits
        stop, left = Signal(c), Signal(c)
        final, over, last_piece = Signal(), Signal(), Signal()
        link = Signal(n)
        places = [Mux(place < self.length, place, self.length) for place in self._places()]
        dims = [own.send_dim.word_select(i, DIMENSION_BITS) for i in range(n)]
        m.d.comb += [
            last_piece.eq(self.index + 1 == own.sends),
            stop.eq(self.length),
            left.eq(stop - self.place),
            final.eq(left <= config.segment),
            over.eq(request.done & final),
            self.offset.eq(self.place),
        ]
        with m.Switch(self.index):
            for i in range(n):
                with m.Case(i):
                    m.d.comb += link.eq(one_hot(n, dims[i]))
                    with m.If((self.state == State.SEND) & ~awaited.ring & ~last_piece):
                        m.d.comb += stop.eq(places[i])
        with m.If((self.state == State.SEND) | (self.state == State.SPREAD)):
            m.d.comb += [
                self.count.eq(Mux(final, left, config.segment)),
                request.body.eq(left.any()),
                request.is_final.eq(final),
                request.argument.eq(self.place),
            ]
        with m.Switch(self.state):
            with m.Case(State.SEND):
                with m.If(awaited.ring):
                    self._send_ring(m, over)
                with m.Else():
                    self._send_piece(m, link, stop, over, last_piece)
                with m.If(request.done):
                    # place + count, without waiting for the count
                    self._place.becomes(Mux(final, stop, self.place + config.segment))
            with m.Case(State.SPREAD):
                self._spread(m, over)

    def _places(self):
        """Return for each piece the place at which the one after it begins."""
        n = self.config.dim
        return [
            self.own.send_place.word_select(i + 1, ARGUMENT_BITS) if i + 1 < n else C(0, ARGUMENT_BITS)
            for i in range(n)
        ]

    def _send_ring(self, m, over):
        """Send the own message to the next member."""
        request = self.request
        m.d.comb += [
            request.valid.eq(~self.waiting),
            request.distant.eq(1),
            request.destination.eq(self.own.next_member),
            request.kind.eq(Kind.RING),
            request.argument.eq(self.address),
        ]
        with m.If(over):
            m.d.sync += self.state.eq(State.LAST)

    def _send_piece(self, m, link, stop, over, last_piece):
        """Send a piece to a neighbour, for the credit that it gave."""
        own, gathered, request = self.own, self.gathered, self.request
        with m.If(~self.begun), m.If((gathered.credit & link).any() | ~link.any()):
            m.d.comb += gathered.use_credit.eq(link)
            m.d.sync += self.begun.eq(1)
            with m.If(self.place > stop):
                self._place.becomes(stop)
        with m.Else():
            m.d.comb += [
                request.valid.eq(~self.waiting),
                request.targets.eq(link),
                request.kind.eq(Mux(own.detour, Kind.RELAY, Kind.DATA)),
                request.stage.eq(own.stage),
                request.hops.eq(self.sent_hops),
            ]
        with m.If(over):
            m.d.sync += self.begun.eq(0)
            with m.If(~last_piece):
                m.d.sync += self.index.eq(self.index + 1)
            with m.Else():
                m.d.sync += self.state.eq(Mux(own.result.any(), State.AWAIT, State.LAST))

    def _spread(self, m, over):
        """Send the result to others, if this node is the one to do so."""
        own, request = self.own, self.request
        nobody = Signal()
        sink = own.sends == 0
        with m.Switch(own.result):
            with m.Case(Result.NONE):
                m.d.comb += nobody.eq(1)
            with m.Case(Result.BROADCAST):
                m.d.comb += nobody.eq(~sink)
            with m.Case(Result.SPREAD):
                m.d.comb += nobody.eq(own.spread == 0)
        m.d.comb += [
            request.valid.eq(~nobody & ~self.waiting),
            self.broadcast.eq(own.result == Result.BROADCAST),
            request.targets.eq(own.spread),
            request.kind.eq(Kind.RESULT),
        ]
        with m.If(nobody | over):
            m.d.sync += self.state.eq(State.OUTPUT)
            self._place.becomes(0)
            if self.config.reads_ahead:
                m.d.comb += self.puts_out.eq(~self.command.cut_short)
        with m.Elif(request.done):
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
