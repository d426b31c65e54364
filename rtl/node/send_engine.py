"""Send engine: parts of messages, and answers, as packets."""

from amaranth import *
from amaranth.lib import wiring
from amaranth.lib.enum import Enum
from amaranth.lib.wiring import In, Out, connect, flipped

from cubecast.golden.node.contract.config import NodeConfig
from cubecast.golden.node.contract.packet import CONTROL, TICKET_BITS, Kind
from cubecast.golden.packet.contract.packet import KIND_BITS
from cubecast.rtl.common.instance import place
from cubecast.rtl.node.message_cutter import MessageCutter
from cubecast.rtl.node.packet_maker import PacketMaker
from cubecast.rtl.node.slot import slot_for
from cubecast.rtl.node.stream import WORD_BITS, Back, Part, Read, Reply, Stream

__all__ = ["SendEngine"]


class State(Enum, shape=2):
    """What becomes of the part in hand."""

    FREE = 0
    CUT = 1
    DRAIN = 2
    FAULT = 3


class SendEngine(wiring.Component):
    """Send one part after the other, and answers before its packets.

    A part taken in cycle t has its first packet given to the packet maker in cycle t + 1, if no answer comes before it.

    Parameters
    ----------
    config : NodeConfig
        Parameters of the node.

    Ports
    -----
    address : in, n
        Strap: the node's address.
    part__*
        An offer, or the rest of a message, as the message cutter takes it.
    preempt : in
        Others wait: a rest gives way to them.
    back__valid, back__offset, back__odd, back__ready : out, 1, 20, 1; in, 1
        Where a rest has stopped.
    reply__valid, reply__source, reply__b, reply__op, reply__stop, reply__damaged, reply__ticket, reply__ready
        What is to be sent as control packets.
    reader__valid, reader__address, reader__beats, reader__ready, served, word, word_error
        Words of messages.
    inject__valid, inject__data, inject__last, inject__slots, inject__kind, inject__ready : 1, W, 1, n, 2, n
        Packets.
    fault__valid, fault__destination, fault__ticket, fault__ready : out, 1, n, 5; in, 1
        Node memory gave an error for some word of that part.
    sent : out
        A packet is injected.

    Source: Buzzard 1988, section 5.4.6 (sending of packets by the main control unit).
    """

    def __init__(self, config: NodeConfig):
        self.config = config
        n = config.dim
        inject = {
            "valid": Out(1),
            "data": Out(config.width),
            "last": Out(1),
            "slots": Out(n),
            "kind": Out(KIND_BITS),
            "ready": In(n),
        }
        super().__init__(
            {
                "address": In(n),
                "part": In(Part(config)),
                "preempt": In(1),
                "back": Out(Back()),
                "reply": In(Reply(config, answered=True)),
                "reader": Out(Read()),
                "served": In(1),
                "word": In(WORD_BITS),
                "word_error": In(1),
                "inject": Out(wiring.Signature(inject)),
                "fault": Out(Stream(destination=n, ticket=TICKET_BITS)),
                "sent": Out(1),
            }
        )

    def elaborate(self, platform):
        """Place cutter and maker; an answer goes between two packets of the part."""
        m = Module()
        config, part, reply = self.config, self.part, self.reply
        cutter = place(m, "cutter", MessageCutter, config)
        maker = place(m, "maker", PacketMaker, config)
        state, wrong, given = Signal(State), Signal(), Signal(2)
        free, answers, taken = Signal(), Signal(), Signal()
        connect(m, maker.reader, flipped(self.reader))
        connect(m, maker.inject, flipped(self.inject))
        connect(m, cutter.back, flipped(self.back))
        names = [name for name in part.signature.members if name not in ("valid", "ready")]
        m.d.comb += [
            maker.served.eq(self.served),
            maker.word.eq(self.word),
            maker.word_error.eq(self.word_error),
            self.sent.eq(maker.sent),
            free.eq(state == State.FREE),
            part.ready.eq(free),
            cutter.part.valid.eq(part.valid & free),
            cutter.preempt.eq(self.preempt),
            *(getattr(cutter.part, name).eq(getattr(part, name)) for name in names),
            answers.eq(reply.valid & (state != State.DRAIN)),
            reply.ready.eq(answers & maker.job.ready),
            cutter.job.ready.eq(maker.job.ready & ~answers),
            maker.job.valid.eq(answers | cutter.job.valid),
            taken.eq(maker.job.valid & maker.job.ready),
        ]
        said = {"op": reply.op, "b": reply.b, "stop": reply.stop, "damaged": reply.damaged, "ticket": reply.ticket}
        control = Signal(max(field.low + field.width for field in CONTROL))
        for field in CONTROL:
            m.d.comb += control[field.low :][: field.width].eq(said[field.name.lower()])
        job = maker.job
        with m.If(answers):
            m.d.comb += [
                job.slots.eq(slot_for(config, (reply.source ^ self.address)[: config.dim], self.inject.ready)),
                job.destination.eq(reply.source),
                job.kind.eq(Kind.CONTROL),
                job.prefix.eq(control),
                job.prefix_words.eq(1),
            ]
        with m.Else():
            names = [name for name in job.signature.members if name not in ("valid", "ready")]
            m.d.comb += [getattr(job, name).eq(getattr(cutter.job, name)) for name in names]
        m.d.sync += [given.eq(given + taken - maker.sent), wrong.eq(wrong | maker.failed)]
        m.d.comb += self.fault.valid.eq(state == State.FAULT)
        with m.Switch(state):
            with m.Case(State.FREE), m.If(part.valid):
                m.d.sync += [
                    self.fault.destination.eq(part.destination),
                    self.fault.ticket.eq(part.ticket),
                    wrong.eq(0),
                    state.eq(State.CUT),
                ]
            with m.Case(State.CUT), m.If(cutter.cut):
                m.d.sync += state.eq(State.DRAIN)
            with m.Case(State.DRAIN), m.If((given == 0) & ~self.back.valid):
                m.d.sync += state.eq(Mux(wrong, State.FAULT, State.FREE))
            with m.Case(State.FAULT), m.If(self.fault.ready):
                m.d.sync += state.eq(State.FREE)
        return m
