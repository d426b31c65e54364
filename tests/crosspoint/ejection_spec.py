"""What the ejection has to promise."""

from amaranth.asserts import AnySeq
from amaranth.hdl import Assert, Cat, Cover, Module, Mux, Signal

from cubecast.rtl.crosspoint.ejection import Ejection
from tests.crosspoint.arbiter_order import is_order, order_in
from tests.harness.spec import Spec

__all__ = ["EjectionSpec"]


class EjectionSpec(Spec):
    """The node gets each word that is popped, once and in order, packet by packet, and nobody waits without need.

    - At most one requester is popped, and only one that has a word. While a packet is under way, only its requester is.
    - The word popped in a cycle is at the port in the next; a word at the port stays as it is until it is taken. The
      port shows no other words.
    - While the port is free or taken, a word is popped if there is one that may be.

    Parameters
    ----------
    config : CrosspointConfig
        Parameters of the router.
    """

    unit = Ejection

    def elaborate(self, platform):
        """Follow the packet that is under way, and the word that has to be at the port."""
        m = Module()
        n = self.config.dim
        dut = self.place(m)
        for i in dut.i:
            m.d.comb += [getattr(i, name).eq(AnySeq(len(getattr(i, name)))) for name in i.signature.members]
        m.d.comb += dut.eject.ready.eq(AnySeq(1))
        waits = Cat(i.ne for i in dut.i)
        lasts = Cat(i.last for i in dut.i)
        names = ("data", "last", "error", *(("kind",) if self.config.multicast else ()))
        words = [Cat(getattr(i, name) for name in names) for i in dut.i]
        shown = Cat(getattr(dut.eject, name) for name in names)
        owner, word, full = Signal(n), Signal(len(shown)), Signal()
        goes, free = dut.pop.any(), ~full | dut.eject.ready
        with m.If(goes):
            m.d.sync += owner.eq(Mux((dut.pop & lasts).any(), 0, dut.pop))
        with m.If(free):
            m.d.sync += full.eq(goes)
        for k, here in enumerate(words):
            with m.If(dut.pop[k]):
                m.d.sync += word.eq(here)
        m.d.comb += [
            Assert((dut.pop & (dut.pop - 1)) == 0),
            Assert((dut.pop & ~waits) == 0),
            Assert(~owner.any() | ((dut.pop & ~owner) == 0)),
            Assert(goes == (free & (waits & Mux(owner.any(), owner, -1)).any())),
            Assert(dut.eject.valid == full),
            Assert(~full | (shown == word)),
            Assert(dut.waited == (waits & ~dut.pop).any()),
            Assert(dut.word_out == (full & dut.eject.ready)),
            Assert(dut.message_out == (dut.word_out & dut.eject.last)),
            # A packet is kept waiting in its middle, while others wait for its end.
            Cover(full & ~dut.eject.ready & owner.any() & (waits | owner).all()),
        ]
        lock, busy = (self.register(name) for name in ("lock", "busy"))
        m.d.comb += [
            # Make the statements inductive.
            Assert(is_order(order_in(self.fragment, *self.inside, "arbiter", count=n))),
            Assert((owner & (owner - 1)) == 0),
            Assert(lock == owner),
            Assert(busy == owner.any()),
        ]
        return m
