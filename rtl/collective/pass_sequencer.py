"""Pass sequencer: what goes through a node, pieces on a detour and messages of a ring."""

from amaranth import *
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

from cubecast.golden.collective.contract.config import CollectiveConfig
from cubecast.golden.collective.contract.segment import ARGUMENT_BITS, Kind, Reading
from cubecast.golden.collective.contract.states import Accepted, State, Step
from cubecast.rtl.collective.merge_collector import END_BITS
from cubecast.rtl.collective.segment import HOPS_BITS, STAGE_BITS, fields, request
from cubecast.rtl.collective.sequencer import DIM_BITS, one_hot

__all__ = [
    "PassSequencer",
]


class PassSequencer(wiring.Component):
    """Take the pieces of the relay entries one after the other and pass each on; in a ring, pass messages on.

    What comes in goes into the pass buffer, and out of it as soon as the sender has time: cut-through.

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
    busy, state : in, 1, 4
        An operation is under way; where the collective sequencer is in it.
    ring, expected, next_member, relays : in, 1, 16, n, 5
        Registers.
    relay_from, relay_to, relay_first, relay_end : in, 4 * R, 4 * R, R, R
        Registers; only with relay entries.
    received, relay_credit, end_credits, accept, accepted : in, 16, n, 4 * n, 2, 2
        Of the collector.
    phase, kind, is_final, stage, hops, offered, argument, data, last, error, head, word, message_end : in
        Of the receiver.
    level, o_data, o_last, o_final : in, bits of 0..E and w, 1, 1
        Of the pass buffer.
    granted, done : in
        The sender starts with the request; it has sent it.
    ring_ready : out
        A word of a ring message can be taken.
    relay_open : out
        A piece to be passed on may come.
    push, push_data, push_last, push_final, pop_head : out
        To the pass buffer.
    entry : out, 5
        The relay entry; a register.
    use_relay, use_end : out, n
        Credits used in this cycle.
    pass_done : out
        Nothing is left to be passed on.
    vector_out__valid, vector_out__data, vector_out__last, vector_out__error, vector_out__ready
        Messages of a ring, each after its origin.
    request, distant, targets, destination, kind_out, final_out, stage_out, hops_out, argument_out, body : out
        Request to the sender.

    Source: Leu and Kuo, algorithm FTTC (m = 0); Lin and Chen, group-multicast over a ring.
    """

    def __init__(self, config: CollectiveConfig):
        self.config = config
        n, width, relays = config.dim, config.width, config.max_relays
        members = {
            "address": In(n),
            "start": In(1),
            "cut_short": In(1),
            "busy": In(1),
            "state": In(State),
            "ring": In(1),
            "expected": In(16),
            "next_member": In(n),
            "relays": In(5),
            "received": In(16),
            "relay_credit": In(n),
            "end_credits": In(END_BITS * n),
            "accept": In(2),
            "accepted": In(2),
            "phase": In(Reading),
            **{name: member.flip() for name, member in fields().items()},
            "offered": In(1),
            "argument": In(ARGUMENT_BITS),
            "data": In(width),
            "last": In(1),
            "error": In(1),
            "head": In(1),
            "word": In(1),
            "message_end": In(1),
            "level": In(config.level_bits),
            "o_data": In(width),
            "o_last": In(1),
            "o_final": In(1),
            "granted": In(1),
            "done": In(1),
            "ring_ready": Out(1),
            "relay_open": Out(1),
            "push": Out(1),
            "push_data": Out(width),
            "push_last": Out(1),
            "push_final": Out(1),
            "pop_head": Out(1),
            "entry": Out(5),
            "use_relay": Out(n),
            "use_end": Out(n),
            "pass_done": Out(1),
            "vector_out": Out(
                wiring.Signature({"valid": Out(1), "data": Out(width), "last": Out(1), "error": Out(1), "ready": In(1)})
            ),
            **request(config),
        }
        if relays:
            members |= {
                "relay_from": In(DIM_BITS * relays),
                "relay_to": In(DIM_BITS * relays),
                "relay_first": In(relays),
                "relay_end": In(relays),
            }
        super().__init__(members)

    def elaborate(self, platform):
        """Build the way of a ring's messages and, if there are relay entries, that of pieces."""
        m = Module()
        self.waiting = Signal()
        self.first = Signal()
        self.counts = Signal()
        m.d.comb += [
            self.counts.eq(self.busy & (Mux(self.head, self.accept, self.accepted) == Accepted.OTHER)),
            self.push_data.eq(self.data),
            self.push_last.eq(self.last),
            self.push_final.eq(self.is_final),
            self.pass_done.eq(
                ~self.waiting
                & Mux(self.ring, (self.received >= self.expected) & (self.level == 0), self.entry >= self.relays)
            ),
        ]
        with m.If(self.granted):
            m.d.sync += self.waiting.eq(1)
        with m.If(self.done):
            m.d.sync += self.waiting.eq(0)
        with m.If(self.ring):
            self._ring(m)
        if self.config.max_relays:
            self._relay(m)
        with m.If(self.start | self.cut_short):
            m.d.sync += [self.waiting.eq(0), self.first.eq(1)]
        return m

    def _ring(self, m):
        """Give the messages of the others to the host, and to the next member unless it is their origin."""
        n, out = self.config.dim, self.vector_out
        room, here, at_origin = Signal(), Signal(), Signal()
        passes = Signal()
        forwarding = Signal()
        ends, torn = Signal(), Signal()
        m.d.comb += [
            room.eq(self.busy & (self.received < self.expected) & (self.level < self.config.pass_depth)),
            here.eq(self.offered & (self.kind == Kind.RING)),
            at_origin.eq(self.phase == Reading.ARGUMENT),
            ends.eq(self.last & self.is_final),
            torn.eq(at_origin & ~self.first & ends),
            self.ring_ready.eq(room & out.ready),
            out.valid.eq(room & here & ((self.phase == Reading.BODY) | (at_origin & self.first) | torn)),
            out.data.eq(Mux(torn, 0, Mux(at_origin, self.argument[:n], self.data))),
            out.last.eq(ends),
            out.error.eq(ends & (self.error | torn)),
            passes.eq(self.argument[:n] != self.next_member),
            # After the node's own message, so that the segments of the two do not mix.
            self.request.eq(self.busy & (self.state == State.LAST) & (self.level != 0) & ~self.waiting),
            self.distant.eq(1),
            self.destination.eq(self.next_member),
            self.pop_head.eq(self.granted),
        ]
        self._segment(m, Kind.RING)
        with m.If(self.counts & (self.kind == Kind.RING)):
            with m.If(self.head):
                m.d.comb += [
                    self.push.eq(passes),
                    self.push_data.eq(self.argument[:n]),
                    self.push_last.eq(self.message_end),
                ]
                m.d.sync += [forwarding.eq(passes), self.first.eq(0)]
            with m.If(self.word):
                m.d.comb += self.push.eq(forwarding)
            with m.If(self.message_end & self.is_final):
                m.d.sync += self.first.eq(1)

    def _segment(self, m, kind):
        """Ask for a segment with what comes out of the pass buffer."""
        m.d.comb += [
            self.kind_out.eq(kind),
            self.final_out.eq(self.o_final),
            self.argument_out.eq(self.o_data),
            self.body.eq(~self.o_last),
        ]

    def _relay(self, m):
        """Take the piece of the current relay entry and pass it on."""
        active = Signal()
        cleared = Signal()
        final_sent = Signal()
        step = Signal(Step)
        stage_kept = Signal(STAGE_BITS)
        hops_kept = Signal(HOPS_BITS)
        m.d.comb += [
            active.eq(self.busy & ~self.ring & (self.entry < self.relays)),
            self.relay_open.eq(active & (step == Step.OPEN)),
        ]
        with m.If(active):
            with m.If(step == Step.GRANT):
                self._grant(m)
                with m.If(self.done):
                    m.d.sync += step.eq(Step.OPEN)
            with m.Else():
                m.d.comb += [self.stage_out.eq(stage_kept), self.hops_out.eq(hops_kept)]
                self._pass_on(m, step, cleared, final_sent)
        with m.If(self.counts & ~self.ring & (self.kind == Kind.RELAY)):
            with m.If(self.head):
                m.d.comb += [
                    self.push.eq(1),
                    self.push_data.eq(self.argument),
                    self.push_last.eq(self.message_end),
                ]
                m.d.sync += [stage_kept.eq(self.stage), hops_kept.eq(self.hops)]
            with m.If(self.word):
                m.d.comb += self.push.eq(1)
            with m.If(self.message_end & self.is_final):
                m.d.sync += step.eq(Step.CLOSED)
        with m.If(self.start | self.cut_short):
            m.d.sync += [self.entry.eq(0), step.eq(Step.GRANT), cleared.eq(0), final_sent.eq(0)]

    def _grant(self, m):
        """Let the neighbour that the piece comes from send."""
        m.d.comb += [
            self.request.eq(~self.waiting),
            self.targets.eq(one_hot(self.config.dim, self.relay_from.word_select(self.entry, DIM_BITS))),
            self.kind_out.eq(Mux(self.relay_first.bit_select(self.entry, 1), Kind.CREDIT, Kind.RELAY_CREDIT)),
            self.final_out.eq(1),
            self.argument_out.eq(self.address),
        ]

    def _pass_on(self, m, step, cleared, final_sent):
        """Send the piece's segments, the first for the credit that the next node of the detour gave."""
        n = self.config.dim
        link, able = Signal(n), Signal(n)
        to_end = Signal()
        ends = Cat(self.end_credits.word_select(j, END_BITS).any() for j in range(n))
        m.d.comb += [
            link.eq(one_hot(n, self.relay_to.word_select(self.entry, DIM_BITS))),
            to_end.eq(self.relay_end.bit_select(self.entry, 1)),
            able.eq(Mux(to_end, ends, self.relay_credit)),
            self.targets.eq(link),
        ]
        self._segment(m, Mux(to_end, Kind.DATA, Kind.RELAY))
        with m.If((self.level != 0) & ~self.waiting & ~final_sent):
            with m.If(cleared):
                m.d.comb += [self.request.eq(1), self.pop_head.eq(self.granted)]
                with m.If(self.granted):
                    m.d.sync += final_sent.eq(self.o_final)
            with m.Elif((able & link).any() | ~link.any()):
                m.d.comb += [self.use_end.eq(Mux(to_end, link, 0)), self.use_relay.eq(Mux(to_end, 0, link))]
                m.d.sync += cleared.eq(1)
        with m.If(self.done & final_sent):
            m.d.sync += [self.entry.eq(self.entry + 1), step.eq(Step.GRANT), cleared.eq(0), final_sent.eq(0)]
