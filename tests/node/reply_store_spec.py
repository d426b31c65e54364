"""What the store of control packets has to promise."""

from amaranth.asserts import AnyConst
from amaranth.hdl import Assert, Assume, C, Cat, Const, Cover, Module, Mux, Signal

from cubecast.golden.node.contract.packet import Op
from cubecast.rtl.node.reply_store import ReplyStore
from tests.harness.inside import row
from tests.harness.spec import Spec, drive

__all__ = ["ReplyStoreSpec"]


class ReplyStoreSpec(Spec):
    """What is put for a source and kind of message, chosen at will, is offered once; the later of two verdicts counts.

    A verdict and a REWIND of it are followed. What is taken for it has been put since the last was taken, as it was put
    last; and while any is to be sent, at most N - 1 packets to other sources are taken before one to this.

    Parameters
    ----------
    config : NodeConfig
        Gives the dimension.
    """

    unit = ReplyStore

    def elaborate(self, platform):
        """Follow the chosen source and kind."""
        m = Module()
        dut, nodes = self.place(m), self.config.nodes
        put, o = dut.put, dut.o
        drive(m, put.valid, put.source, put.b, put.op, put.stop, put.damaged, put.ticket, o.ready)
        m.d.comb += Assume(~put.valid | (dut.ready & (put.op >= 1) & (put.op <= 4)))
        source, b = Signal(self.config.dim), Signal()
        m.d.comb += [source.eq(AnyConst(len(source))), b.eq(AnyConst(1))]
        verdict, rewind, age = Signal(), Signal(), Signal(range(nodes + 2))
        last, ticket = Signal.like(Cat(put.op, put.stop, put.damaged, put.ticket)), Signal.like(put.ticket)
        mine, taken, to_it, back = Signal(), Signal(), Signal(), Signal()
        m.d.comb += [
            mine.eq(put.valid & (put.source == source) & (put.b == b)),
            taken.eq(o.valid & o.ready),
            to_it.eq(taken & (o.source == source) & (o.b == b)),
            back.eq(o.op == Op.REWIND),
        ]
        with m.If(mine & (put.op == Op.REWIND)):
            m.d.sync += [rewind.eq(1), ticket.eq(put.ticket)]
        with m.Elif(to_it & back):
            m.d.sync += rewind.eq(0)
        with m.If(mine & (put.op != Op.REWIND)):
            m.d.sync += [verdict.eq(1), last.eq(Cat(put.op, put.stop, put.damaged, put.ticket))]
        with m.Elif(to_it & ~back):
            m.d.sync += verdict.eq(0)
        with m.If(~(verdict | rewind) | (taken & (o.source == source))):
            m.d.sync += age.eq(0)
        with m.Elif(taken):
            m.d.sync += age.eq(age + 1)
        m.d.comb += [
            Assert(~to_it | Mux(back, rewind, verdict)),
            Assert(~(to_it & back) | ((o.ticket == ticket) & ~o.stop & ~o.damaged)),
            Assert(~(to_it & ~back) | (Cat(o.op, o.stop, o.damaged, o.ticket) == last)),
            Assert(~(verdict | rewind) | put.valid | o.valid),
            Assert(age < nodes),
            Cover((age == nodes - 1) & taken & verdict & rewind),
        ]
        self._inside(m, source, b, verdict, last, rewind, ticket, age)
        return m

    def _inside(self, m, source, b, verdict, last, rewind, ticket, age):
        """Say what is stored, and that the FIFO has each source once; this makes the statements inductive."""
        nodes, dim = self.config.nodes, self.config.dim
        cleared, level = self.register("cleared"), self.register("sources_level")
        oldest, newest = self.register("sources_oldest"), self.register("sources_newest")
        at = [(oldest + k)[:dim] for k in range(nodes)]
        kept = [row(self.fragment, *self.inside, "sources_words", address=address) for address in at]
        there = [row(self.fragment, *self.inside, "there", address=Const(s, dim)) for s in range(nodes)]
        stored = row(self.fragment, *self.inside, "verdicts", address=Cat(b, source))
        called = row(self.fragment, *self.inside, "tickets", address=Cat(b, source))
        m.d.comb += [
            Assert((level <= nodes) & (newest == (oldest + level)[:dim])),
            Assert((cleared <= nodes) & ((cleared == nodes) | ((level == 0) & ~verdict & ~rewind))),
        ]
        for k in range(nodes):
            ahead = Signal(range(nodes + 1), name=f"ahead_{k}")
            m.d.comb += ahead.eq(age + k)
            m.d.comb += [Assert((level <= k) | (kept[k] != kept[i])) for i in range(k)]
            m.d.comb += Assert((level <= k) | (kept[k] != source) | ~(verdict | rewind) | (ahead < nodes))
        for s, bits in enumerate(there):
            waiting = Cat((level > k) & (kept[k] == s) for k in range(nodes)).any()
            any_there = bits.as_value().any()
            at_it = (cleared == nodes) & (source == s)
            m.d.comb += [
                Assert(Mux(cleared == nodes, waiting == any_there, (cleared <= s) | ~any_there)),
                Assert(~at_it | (bits.verdict.bit_select(b, 1) == verdict)),
                Assert(~at_it | (bits.rewind.bit_select(b, 1) == rewind)),
            ]
        m.d.comb += [
            Assert(~verdict | (Cat(stored.op, C(0, 2), stored.stop, stored.damaged, stored.ticket) == last)),
            Assert(~rewind | (called == ticket)),
        ]
