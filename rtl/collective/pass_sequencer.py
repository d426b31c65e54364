"""Pass sequencer: what goes through a node, pieces on a detour and messages of a ring."""

from amaranth import *
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

from cubecast.golden.collective.contract.bundles import COUNT_BITS, DIMENSION_BITS
from cubecast.golden.collective.contract.config import CollectiveConfig
from cubecast.golden.collective.contract.segment import ARGUMENT_BITS, Kind, Reading
from cubecast.golden.collective.contract.states import Accepted, State, Step
from cubecast.rtl.collective.bundle import Bundle
from cubecast.rtl.collective.segment import HOPS_BITS, STAGE_BITS
from cubecast.rtl.collective.sequencer import one_hot

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
    command__*, awaited__*, relay__* : in
        Bundles of the registers.
    busy, state : in, 1, 4
        An operation is under way; where the collective sequencer is in it.
    next_member, received : in, n, 16
        Register; of the collector.
    passed__* : in, passed__relay_open, passed__use_relay, passed__use_end : out, 1, n, n
        Bundle of the collector; a piece to be passed on may come; credits used in this cycle.
    phase, arrival__*, offer__* : in
        Of the receiver, and its bundles.
    ring_ready : out
        A word of a ring message can be taken.
    store__*, pop_head : out, store__level, store__o_* : in
        Bundle to the pass buffer and back; its oldest word is not needed any more.
    entry : out, 5
        The relay entry; a register.
    pass_done : out
        Nothing is left to be passed on.
    vector_out__valid, vector_out__data, vector_out__last, vector_out__error, vector_out__ready
        Messages of a ring, each after its origin.
    request__* : out, request__granted, request__done : in
        Bundle to the sender; it starts with the request, it has sent it.

    Source: Leu and Kuo, algorithm FTTC (m = 0); Lin and Chen, group-multicast over a ring.
    """

    def __init__(self, config: CollectiveConfig):
        self.config = config
        n, width = config.dim, config.width
        super().__init__(
            {
                "address": In(n),
                "command": In(Bundle(config, "command")),
                "busy": In(1),
                "state": In(State),
                **{name: In(Bundle(config, name)) for name in ("awaited", "relay", "passed", "arrival", "offer")},
                "next_member": In(n),
                "received": In(ARGUMENT_BITS),
                "phase": In(Reading),
                "ring_ready": Out(1),
                "store": Out(Bundle(config, "store")),
                "pop_head": Out(1),
                "entry": Out(5),
                "pass_done": Out(1),
                "vector_out": Out(
                    wiring.Signature(
                        {"valid": Out(1), "data": Out(width), "last": Out(1), "error": Out(1), "ready": In(1)}
                    )
                ),
                "request": Out(Bundle(config, "request")),
            }
        )

    def elaborate(self, platform):
        """Build the way of a ring's messages and, if there are relay entries, that of pieces."""
        command, awaited, arrival, offer, passed, store, request = (
            self.command,
            self.awaited,
            self.arrival,
            self.offer,
            self.passed,
            self.store,
            self.request,
        )
        m = Module()
        self.waiting = Signal()
        self.first, self.spoiled = Signal(), Signal()
        self.counts = Signal()
        m.d.comb += [
            self.counts.eq(self.busy & (Mux(arrival.head, passed.accept, passed.accepted) == Accepted.OTHER)),
            store.i_data.eq(offer.data),
            store.i_last.eq(offer.last),
            store.i_final.eq(arrival.is_final),
            store.i_error.eq(offer.error),
            self.pass_done.eq(
                ~self.waiting
                & Mux(
                    awaited.ring,
                    (self.received >= awaited.expected) & (store.level == 0),
                    self.entry >= self.relay.relays,
                )
            ),
        ]
        with m.If(request.granted):
            m.d.sync += self.waiting.eq(1)
        with m.If(request.done):
            m.d.sync += self.waiting.eq(0)
        with m.If(awaited.ring):
            self._ring(m)
        if self.config.max_relays:
            self._relay(m)
        with m.If(command.start | command.cut_short):
            m.d.sync += [self.waiting.eq(0), self.first.eq(1), self.spoiled.eq(0)]
        return m

    def _ring(self, m):
        """Give the messages of the others to the host, and to the next member unless it is their origin."""
        arrival, offer, store, request = self.arrival, self.offer, self.store, self.request
        n, out = self.config.dim, self.vector_out
        room, here, at_origin = Signal(), Signal(), Signal()
        passes = Signal()
        forwarding = Signal()
        ends, torn = Signal(), Signal()
        m.d.comb += [
            room.eq(self.busy & (self.received < self.awaited.expected) & (store.level < self.config.pass_depth)),
            here.eq(offer.offered & (arrival.kind == Kind.RING)),
            at_origin.eq(self.phase == Reading.ARGUMENT),
            ends.eq(offer.last & arrival.is_final),
            torn.eq(at_origin & ~self.first & ends),
            self.ring_ready.eq(room & out.ready),
            out.valid.eq(room & here & ((self.phase == Reading.BODY) | (at_origin & self.first) | torn)),
            out.data.eq(Mux(torn, 0, Mux(at_origin, arrival.argument[:n], offer.data))),
            out.last.eq(ends),
            out.error.eq(ends & (offer.error | torn | self.spoiled)),
            passes.eq(arrival.argument[:n] != self.next_member),
            # After the node's own message, so that the segments of the two do not mix.
            request.valid.eq(self.busy & (self.state == State.LAST) & (store.level != 0) & ~self.waiting),
            request.distant.eq(1),
            request.destination.eq(self.next_member),
            self.pop_head.eq(request.granted),
        ]
        self._segment(m, Kind.RING)
        with m.If(self.counts & (arrival.kind == Kind.RING)):
            with m.If(arrival.head):
                m.d.comb += [
                    store.push.eq(passes),
                    store.i_data.eq(arrival.argument[:n]),
                    store.i_last.eq(arrival.message_end),
                ]
                m.d.sync += [forwarding.eq(passes), self.first.eq(0)]
            with m.If(arrival.word):
                m.d.comb += store.push.eq(forwarding)
            with m.If(arrival.message_end):
                m.d.sync += self.spoiled.eq(~arrival.is_final & (self.spoiled | offer.error))
            with m.If(arrival.message_end & arrival.is_final):
                m.d.sync += self.first.eq(1)

    def _segment(self, m, kind):
        """Ask for a segment with what comes out of the pass buffer."""
        store, request = self.store, self.request
        m.d.comb += [
            request.kind.eq(kind),
            request.is_final.eq(store.o_final),
            request.argument.eq(store.o_data),
            request.body.eq(~store.o_last),
        ]

    def _relay(self, m):
        """Take the piece of the current relay entry and pass it on."""
        command, awaited, arrival, store, request = self.command, self.awaited, self.arrival, self.store, self.request
        active = Signal()
        cleared = Signal()
        final_sent = Signal()
        step = Signal(Step)
        stage_kept = Signal(STAGE_BITS)
        hops_kept = Signal(HOPS_BITS)
        m.d.comb += [
            active.eq(self.busy & ~awaited.ring & (self.entry < self.relay.relays)),
            self.passed.relay_open.eq(active & (step == Step.OPEN)),
        ]
        with m.If(active):
            with m.If(step == Step.GRANT):
                self._grant(m)
                with m.If(request.done):
                    m.d.sync += step.eq(Step.OPEN)
            with m.Else():
                m.d.comb += [request.stage.eq(stage_kept), request.hops.eq(hops_kept)]
                self._pass_on(m, step, cleared, final_sent)
        with m.If(self.counts & ~awaited.ring & (arrival.kind == Kind.RELAY)):
            with m.If(arrival.head):
                m.d.comb += [
                    store.push.eq(1),
                    store.i_data.eq(arrival.argument),
                    store.i_last.eq(arrival.message_end),
                ]
                m.d.sync += [stage_kept.eq(arrival.stage), hops_kept.eq(arrival.hops)]
            with m.If(arrival.word):
                m.d.comb += store.push.eq(1)
            with m.If(arrival.message_end & arrival.is_final):
                m.d.sync += step.eq(Step.CLOSED)
        with m.If(command.start | command.cut_short):
            m.d.sync += [self.entry.eq(0), step.eq(Step.GRANT), cleared.eq(0), final_sent.eq(0)]

    def _grant(self, m):
        """Let the neighbour that the piece comes from send."""
        relay, request = self.relay, self.request
        m.d.comb += [
            request.valid.eq(~self.waiting),
            request.targets.eq(one_hot(self.config.dim, relay.relay_from.word_select(self.entry, DIMENSION_BITS))),
            request.kind.eq(Mux(relay.relay_first.bit_select(self.entry, 1), Kind.CREDIT, Kind.RELAY_CREDIT)),
            request.is_final.eq(1),
            request.argument.eq(self.address),
        ]

    def _pass_on(self, m, step, cleared, final_sent):
        """Send the piece's segments, the first for the credit that the next node of the detour gave."""
        relay, passed, store, request = self.relay, self.passed, self.store, self.request
        n = self.config.dim
        link, able = Signal(n), Signal(n)
        to_end = Signal()
        ends = Cat(passed.end_credits.word_select(j, COUNT_BITS).any() for j in range(n))
        m.d.comb += [
            link.eq(one_hot(n, relay.relay_to.word_select(self.entry, DIMENSION_BITS))),
            to_end.eq(relay.relay_end.bit_select(self.entry, 1)),
            able.eq(Mux(to_end, ends, passed.relay_credit)),
            request.targets.eq(link),
        ]
        self._segment(m, Mux(to_end, Kind.DATA, Kind.RELAY))
        with m.If((store.level != 0) & ~self.waiting & ~final_sent):
            with m.If(cleared):
                m.d.comb += [request.valid.eq(1), self.pop_head.eq(request.granted)]
                with m.If(request.granted):
                    m.d.sync += final_sent.eq(store.o_final)
            with m.Elif((able & link).any() | ~link.any()):
                m.d.comb += [
                    passed.use_end.eq(Mux(to_end, link, 0)),
                    passed.use_relay.eq(Mux(to_end, 0, link)),
                ]
                m.d.sync += cleared.eq(1)
        with m.If(request.done & final_sent):
            m.d.sync += [self.entry.eq(self.entry + 1), step.eq(Step.GRANT), cleared.eq(0), final_sent.eq(0)]
