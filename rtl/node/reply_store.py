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
REWIND = data.StructLayout({"there": 1, "ticket": TICKET_BITS})
ENTRY = data.StructLayout({"verdict": data.ArrayLayout(VERDICT, 2), "rewind": data.ArrayLayout(REWIND, 2)})


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
        """Read the entry concerned, change it, and write it, in one cycle; a put goes first."""
        m = Module()
        n, put, o = self.config.dim, self.put, self.o
        m.submodules.entries = entries = memory.Memory(shape=ENTRY, depth=self.config.nodes, init=[])
        read, write = entries.read_port(domain="comb"), entries.write_port()
        fifo = Fifo(m, "sources", "distributed", shape=n, depth=self.config.nodes)
        cleared, taken = Signal(n + 1), Signal()
        old, new, changed = read.data, Signal(ENTRY), Signal(ENTRY)
        sent = Signal(range(4))
        m.d.comb += [
            self.ready.eq(cleared[n]),
            read.addr.eq(Mux(put.valid, put.source, fifo.head)),
            o.valid.eq(self.ready & (fifo.level != 0) & ~put.valid),
            o.source.eq(fifo.head),
            taken.eq(o.valid & o.ready),
            changed.eq(old),
            new.eq(changed),
        ]
        with m.If(~self.ready):
            m.d.sync += cleared.eq(cleared + 1)
            m.d.comb += new.eq(0)
        shown = [
            (old.verdict[0].op != 0, old.verdict[0]),
            (old.verdict[1].op != 0, old.verdict[1]),
            (old.rewind[0].there, old.rewind[0]),
        ]
        with m.If(put.valid):
            for b in range(2):
                with m.If(put.b == b):
                    with m.If(put.op == Op.REWIND):
                        m.d.comb += [changed.rewind[b].there.eq(1), changed.rewind[b].ticket.eq(put.ticket)]
                    with m.Else():
                        m.d.comb += [
                            changed.verdict[b].op.eq(put.op),
                            changed.verdict[b].stop.eq(put.stop),
                            changed.verdict[b].damaged.eq(put.damaged),
                            changed.verdict[b].ticket.eq(put.ticket),
                        ]
        with m.Else():
            for k, (there, _) in enumerate(shown):
                with m.If(there) if k == 0 else m.Elif(there):
                    m.d.comb += sent.eq(k)
            with m.Else():
                m.d.comb += sent.eq(len(shown))
            for k in range(2):
                with m.If(sent == k):
                    m.d.comb += changed.verdict[k].op.eq(0)
                with m.If(sent == 2 + k):
                    m.d.comb += changed.rewind[k].there.eq(0)
        verdict, rewind = Mux(sent[0], old.verdict[1].as_value(), old.verdict[0].as_value()), Signal(REWIND)
        chosen = Signal(VERDICT)
        m.d.comb += [
            chosen.eq(verdict),
            rewind.eq(Mux(sent[0], old.rewind[1].as_value(), old.rewind[0].as_value())),
            o.b.eq(sent[0]),
            o.op.eq(Mux(sent[1], Op.REWIND, chosen.op)),
            o.stop.eq(chosen.stop & ~sent[1]),
            o.damaged.eq(chosen.damaged & ~sent[1]),
            o.ticket.eq(Mux(sent[1], rewind.ticket, chosen.ticket)),
            write.en.eq(~self.ready | put.valid | taken),
            write.addr.eq(Mux(self.ready, read.addr, cleared[:n])),
            write.data.eq(new),
        ]
        empty, left = Signal(), Signal()
        m.d.comb += [
            empty.eq(~occupied(old)),
            left.eq(occupied(changed)),
            fifo.pop.eq(taken),
            fifo.push.eq((put.valid & empty) | (taken & left)),
            fifo.data.eq(read.addr),
        ]
        return m


def occupied(entry):
    """Return whether there is anything in an entry."""
    return entry.verdict[0].op.any() | entry.verdict[1].op.any() | entry.rewind[0].there | entry.rewind[1].there
