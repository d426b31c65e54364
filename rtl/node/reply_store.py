"""Reply store: control packets that are to be sent."""

from amaranth import *
from amaranth.lib import data, memory, wiring
from amaranth.lib.wiring import In, Out

from cubecast.golden.node.contract.config import NodeConfig
from cubecast.golden.node.contract.packet import TICKET_BITS, Op
from cubecast.rtl.node.fifo import Fifo
from cubecast.rtl.node.stream import Reply

__all__ = ["ReplyStore"]

VERDICT = data.StructLayout({"op": 2, "stop": 1, "damaged": 1, "ticket": TICKET_BITS})

THERE = data.StructLayout({"verdict": 2, "rewind": 2})
"""What of a source is to be sent, by kind of message, as it goes out: verdicts first, the lower kind first."""


class ReplyStore(wiring.Component):
    """Keep one verdict and one REWIND per source and kind of message; it refuses none, and sources take turns.

    What is put in cycle t is offered from cycle t + 1 on, when its source's turn comes.

    Parameters
    ----------
    config : NodeConfig
        Gives the dimension.

    Ports
    -----
    put__valid, put__source, put__b, put__op, put__stop, put__damaged, put__ticket : in, 1, n, 1, 4, 1, 1, 5
        Send this; only while ``ready``.
    ready : out
        The store is empty of what was there before the reset: N cycles after it.
    o__valid, o__source, o__b, o__op, o__stop, o__damaged, o__ticket, o__ready : out, 1, n, 1, 4, 1, 1, 5; in, 1
        What is to be sent next; not in the cycle of a put, and it may change until it is taken.

    Source: Buzzard 1988, section 5.1.1, has no answers; they are this project's.
    """

    def __init__(self, config: NodeConfig):
        self.config = config
        super().__init__({"put": In(Reply(config)), "ready": Out(1), "o": Out(Reply(config, answered=True))})

    def elaborate(self, platform):
        """Note what is there of the source concerned, in one cycle; a put goes first.

        What is offered does not depend on what is put, but whether it is offered does.
        """
        m = Module()
        n, put, o = self.config.dim, self.put, self.o
        nodes = self.config.nodes
        m.submodules.there = there = memory.Memory(shape=THERE, depth=nodes, init=[])
        m.submodules.verdicts = verdicts = memory.Memory(shape=VERDICT, depth=2 * nodes, init=[])
        m.submodules.tickets = tickets = memory.Memory(shape=TICKET_BITS, depth=2 * nodes, init=[])
        old, shown, mark = there.read_port(domain="comb"), there.read_port(domain="comb"), there.write_port()
        verdict, ticket = verdicts.read_port(domain="comb"), tickets.read_port(domain="comb")
        put_verdict, put_ticket = verdicts.write_port(), tickets.write_port()
        fifo = Fifo(m, "sources", "distributed", shape=n, depth=nodes)
        cleared, taken, back, calls = Signal(n + 1), Signal(), Signal(), Signal()
        new, sent = Signal(THERE), Signal(THERE)
        m.d.comb += [
            self.ready.eq(cleared[n]),
            calls.eq(put.op == Op.REWIND),
            old.addr.eq(put.source),
            shown.addr.eq(fifo.head),
            # The lowest of the bits.
            sent.eq(shown.data.as_value() & (~shown.data.as_value() + 1)),
            back.eq(~shown.data.verdict.any()),
            put_verdict.en.eq(put.valid & ~calls),
            put_ticket.en.eq(put.valid & calls),
            put_verdict.addr.eq(Cat(put.b, put.source)),
            put_ticket.addr.eq(put_verdict.addr),
            put_verdict.data.op.eq(put.op),
            put_verdict.data.stop.eq(put.stop),
            put_verdict.data.damaged.eq(put.damaged),
            put_verdict.data.ticket.eq(put.ticket),
            put_ticket.data.eq(put.ticket),
            verdict.addr.eq(Cat(o.b, fifo.head)),
            ticket.addr.eq(verdict.addr),
            o.valid.eq(self.ready & (fifo.level != 0) & ~put.valid),
            o.source.eq(fifo.head),
            o.b.eq(~Mux(back, shown.data.rewind[0], shown.data.verdict[0])),
            o.op.eq(Mux(back, Op.REWIND, verdict.data.op)),
            o.stop.eq(verdict.data.stop & ~back),
            o.damaged.eq(verdict.data.damaged & ~back),
            o.ticket.eq(Mux(back, ticket.data, verdict.data.ticket)),
            taken.eq(o.valid & o.ready),
            new.eq(shown.data.as_value() & ~sent.as_value()),
            mark.en.eq(~self.ready | put.valid | taken),
            mark.addr.eq(fifo.head),
            mark.data.eq(new),
            fifo.pop.eq(taken),
            fifo.push.eq(Mux(put.valid, ~old.data.as_value().any(), taken & new.as_value().any())),
            fifo.data.eq(mark.addr),
        ]
        with m.If(put.valid):
            m.d.comb += [
                new.verdict.eq(old.data.verdict | (~calls << put.b)),
                new.rewind.eq(old.data.rewind | (calls << put.b)),
                mark.addr.eq(put.source),
            ]
        with m.If(~self.ready):
            m.d.sync += cleared.eq(cleared + 1)
            m.d.comb += [new.eq(0), mark.addr.eq(cleared)]
        return m
