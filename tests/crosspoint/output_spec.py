"""What the output of a link has to promise."""

from amaranth.asserts import AnyConst, AnySeq
from amaranth.hdl import Assert, C, Cat, Cover, Module, Mux, Signal

from cubecast.golden.crosspoint.contract.word import CrosspointReason, Kind
from cubecast.rtl.crosspoint.output import Output
from tests.crosspoint.arbiter_order import is_order, order_in
from tests.harness.spec import Spec, drive

__all__ = ["OutputSpec"]


class OutputSpec(Spec):
    """Packets leave whole, one after the other, into the queues of their head; each is reported once at most.

    - At most one requester is popped, and only one that has a word. A head comes only while no packet is under way; all
      further words, to the last, are of its requester.
    - A head waits for its flag, unless the link is cut, and is not let go while a report waits.
    - Words of a body go into the queues of their head. Of a packet whose link was cut nothing more goes.
    - A word goes as it is, with all its fields; of a bitmap the half that is the neighbour's.
    - A packet that does not leave whole is reported once, with its reason and destination, any other not at all.
    - The lock is one-hot or 0, and 0 exactly while not busy; never a head and a word of a body at once; hold = 0 while
      not busy.
    - With ``reduce``: a word of a reduction goes only between packets, alone, with the flag of its own, over a link in
      use, and as it is; of two reductions, one at a time.

    Parameters
    ----------
    config : Port
        The router, and the dimension of the link. The router is fault tolerant.
    """

    unit = Output

    def elaborate(self, platform):
        """Follow the packet that is under way by what is popped."""
        m = Module()
        config = self.config
        dut = self.place(m)
        inner = dut if self.unit is Output else dut.inner
        count, lower = len(inner.inputs), sum(number < config.port for number in inner.inputs)
        for i in dut.i:
            m.d.comb += [getattr(i, name).eq(AnySeq(len(getattr(i, name)))) for name in i.signature.members]
        m.d.comb += [port.eq(AnySeq(1)) for port in (dut.ready, dut.ready_up, dut.cut, dut.report.ready)]
        m.d.comb += dut.address.eq(AnyConst(len(dut.address)))

        owner, chosen = Signal(count), Signal(len(dut.push))
        broken, reported, event, shown = Signal(), Signal(), Signal(), Signal()
        waits, lasts, first = Signal(count), Signal(count), Signal(len(dut.push))
        names = ("last", "error", "r1", "r2", *(("kind",) if config.router.multicast else ()))
        half = 1 << config.port if config.router.multicast and config.port < config.router.bitmap_dims else 0
        left, due = Signal.like(dut.address), Signal.like(Cat(dut.report.reason, dut.report.destination))
        m.d.comb += [waits[k].eq(i.ne) for k, i in enumerate(dut.i)]
        m.d.comb += [lasts[k].eq(i.last) for k, i in enumerate(dut.i)]
        for k, i in enumerate(dut.i):
            with m.If(dut.pop[k]):
                own = Mux(dut.head & i.kind[1], i.data[half : 2 * half], i.data[:half])
                m.d.comb += [
                    first.eq(i.push),
                    left.eq(i.r1 ^ Mux(i.kind == Kind.UNICAST, i.r2, 0)),
                    Assert(dut.data == Cat(own, i.data[half:])),
                    Assert(Cat(getattr(dut, name) == getattr(i, name) for name in names).all()),
                ]
        goes, last = dut.pop.any(), (dut.pop & lasts).any()
        open_to = Mux(dut.ready, -1 << lower, 0)[:count] | Mux(dut.ready_up, (1 << lower) - 1, 0)
        under_way = owner.any()
        m.d.comb += event.eq(dut.cut & (dut.head | (under_way & ~broken & chosen.any())))
        with m.If(goes):
            m.d.sync += owner.eq(Mux(last, 0, dut.pop))
        with m.If(dut.head):
            m.d.sync += [chosen.eq(first), broken.eq(dut.cut), reported.eq(0)]
        with m.Elif(dut.cut):
            m.d.sync += broken.eq(1)
        fresh = dut.report.valid & ~shown
        with m.If(fresh):
            m.d.sync += reported.eq(1)
        m.d.sync += shown.eq(dut.report.valid & ~dut.report.ready)
        expected, neighbour = Signal(), dut.address ^ (1 << config.port)
        refused = Cat(C(CrosspointReason.UNDELIVERABLE, len(dut.report.reason)), neighbour ^ left)
        cut_short = Cat(C(CrosspointReason.PACKET_CUT, len(dut.report.reason)), neighbour)
        m.d.sync += expected.eq(event)
        with m.If(event):
            m.d.sync += due.eq(Mux(dut.head, refused, cut_short))
        m.d.comb += [
            Assert((dut.pop & (dut.pop - 1)) == 0),
            Assert((dut.pop & ~waits) == 0),
            Assert(dut.head == (goes & ~under_way)),
            Assert(~under_way | ((dut.pop & ~owner) == 0)),
            Assert(~dut.head | dut.cut | ((dut.pop & ~open_to) == 0)),
            Assert(~(dut.head & dut.report.valid)),
            Assert(~(dut.push.any() & dut.cut)),
            Assert(dut.push == Mux(~goes | dut.cut, 0, Mux(dut.head, first, Mux(broken, 0, chosen)))),
            # Exactly one report for a packet that is refused or cut.
            Assert(fresh == expected),
            Assert(~(fresh & reported)),
            Assert(~dut.report.valid | (Cat(dut.report.reason, dut.report.destination) == due)),
            Cover(fresh & dut.report.ready & (dut.report.reason == CrosspointReason.PACKET_CUT) & under_way),
        ]
        busy, lock, hold, pending = inner.busy, inner.lock, inner.hold, inner.pending
        m.d.comb += [
            Assert((lock & (lock - 1)) == 0),
            Assert(busy == lock.any()),
            Assert(~(dut.head & (waits & lock).any())),
            Assert(busy | (hold == 0)),
            # Make the statements inductive.
            Assert(lock == owner),
            Assert(hold == Mux(under_way & ~broken, chosen, 0)),
            Assert(pending == dut.report.valid),
            Assert(~shown | pending),
            Assert(~(pending & ~shown) | expected),
            Assert(~(pending | reported) | (hold == 0)),
            Assert(~shown | reported),
            Assert(~(expected & reported)),
        ]
        requests = count + len(inner.contexts)
        m.d.comb += Assert(is_order(order_in(self.fragment, *self.inside, "arbiter", count=requests)))
        pushes = [self._reduced(m, dut, context, goes, under_way) for context in inner.contexts]
        if pushes:
            sent = Cat(pushes)
            m.d.comb += [Assert((sent & (sent - 1)) == 0), Assert(sent.any() | (dut.rop == 0))]
        return m

    def _reduced(self, m, dut, context, goes, under_way):
        """Let words of a reduction come and stay; return whether one goes."""
        word, ready, push = (getattr(dut, f"{name}{context}") for name in ("reduce", "ready_r", "push_r"))
        drive(m, word.request, word.data, word.rop, word.last, word.error, ready)
        same = Cat(getattr(dut, name) == getattr(word, name) for name in ("data", "rop", "last", "error"))
        m.d.comb += [
            Assert(push == word.taken),
            Assert(~push | (word.request & ready & ~dut.cut & ~under_way & ~goes)),
            Assert(~push | (same.all() & ~dut.push.any() & ~dut.head)),
            Cover(push & dut.report.valid),
        ]
        return push
