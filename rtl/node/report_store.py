"""Report store: nodes that a packet found no way to."""

from amaranth import *
from amaranth.lib import memory, wiring
from amaranth.lib.wiring import In, Out

from cubecast.golden.node.contract.config import NodeConfig
from cubecast.rtl.node.fifo import Fifo
from cubecast.rtl.node.stream import Stream

__all__ = ["ReportStore"]


class ReportStore(wiring.Component):
    """Keep each node that is reported once, the first report first; it refuses none.

    What is put in cycle t is offered from cycle t + 1 on, when its turn comes.

    Parameters
    ----------
    config : NodeConfig
        Gives the dimension.

    Ports
    -----
    put__valid, put__destination : in, 1, n
        A packet for this node, the own one if it was a broadcast, found no way; only while ``ready``.
    ready : out
        The store is empty of what was there before the reset: N cycles after it.
    o__valid, o__destination, o__ready : out, 1, n; in, 1
        The node that was reported first.

    Source: Buzzard 1988 has no reports of packets without a way; they are this project's.
    """

    def __init__(self, config: NodeConfig):
        self.config = config
        stream = Stream(destination=config.dim)
        put = wiring.Signature({name: stream.members[name] for name in ("valid", "destination")})
        super().__init__({"put": In(put), "ready": Out(1), "o": Out(stream)})

    def elaborate(self, platform):
        """A node is there while its two bits differ: a put turns one of them, a node that leaves the other."""
        m = Module()
        n, nodes, put, o = self.config.dim, self.config.nodes, self.put, self.o
        fifo = Fifo(m, "reported", "distributed", shape=n, depth=nodes)
        m.submodules.came = came = memory.Memory(shape=1, depth=nodes, init=[])
        m.submodules.left = left = memory.Memory(shape=1, depth=nodes, init=[])
        came_read, came_write = came.read_port(domain="comb"), came.write_port()
        left_reads, left_write = [left.read_port(domain="comb") for _ in range(2)], left.write_port()
        cleared, taken, again = Signal(n + 1), Signal(), Signal()
        m.d.comb += [
            self.ready.eq(cleared[n]),
            o.valid.eq(self.ready & (fifo.level != 0)),
            o.destination.eq(fifo.head),
            taken.eq(o.valid & o.ready),
            again.eq(taken & (fifo.head == put.destination)),
            came_read.addr.eq(put.destination),
            left_reads[0].addr.eq(put.destination),
            left_reads[1].addr.eq(fifo.head),
            fifo.push.eq(put.valid & self.ready & ((came_read.data == left_reads[0].data) | again)),
            fifo.pop.eq(taken),
            fifo.data.eq(put.destination),
            came_write.en.eq(~self.ready | fifo.push),
            came_write.addr.eq(Mux(self.ready, put.destination, cleared[:n])),
            came_write.data.eq(self.ready & ~came_read.data),
            left_write.en.eq(~self.ready | taken),
            left_write.addr.eq(Mux(self.ready, fifo.head, cleared[:n])),
            left_write.data.eq(self.ready & ~left_reads[1].data),
        ]
        with m.If(~self.ready):
            m.d.sync += cleared.eq(cleared + 1)
        return m
