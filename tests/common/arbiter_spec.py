"""What the round-robin arbiter has to promise."""

from amaranth.asserts import AnyConst, AnySeq
from amaranth.hdl import Assert, Assume, Cover, Module, Mux, Signal

from cubecast.rtl.common.arbiter import Arbiter
from tests.harness.spec import Spec

__all__ = ["ArbiterSpec", "pointer_of"]


def pointer_of(m, behind):
    """Return the number of the first request that is not passed over, and state that there is one such number.

    Parameters
    ----------
    m : Module
        The module under construction.
    behind : Signal
        The arbiter's register.
    """
    m.d.comb += Assert((behind & (behind + 1)) == 0)
    return sum(behind)


class ArbiterSpec(Spec):
    """At most one grant, only to a request, always one if there is a request; nobody waits for more than N - 1 others.

    Parameters
    ----------
    config : Requests
        Number of requests N, at least 2.
    """

    unit = Arbiter

    def elaborate(self, platform):
        """Count how many others are served while one chosen request waits."""
        m = Module()
        dut, count = self.unit(self.config), self.config.count
        m.submodules.dut = dut.elaborate(platform)
        me, waited = Signal(range(count)), Signal(range(2 * count))
        m.d.comb += [dut.request.eq(AnySeq(count)), me.eq(AnyConst(range(count)))]
        advance = self.advance(m, dut)
        served = (dut.grant >> me)[0] & advance
        with m.If(~(dut.request >> me)[0] | served):
            m.d.sync += waited.eq(0)
        with m.Elif(advance):
            m.d.sync += waited.eq(waited + 1)
        m.d.comb += [
            Assume(me < count),
            Assert((dut.grant & (dut.grant - 1)) == 0),
            Assert((dut.grant & ~dut.request) == 0),
            Assert((dut.grant != 0) == (dut.request != 0)),
            Assert(waited <= count - 1),
            Cover(served & (waited == count - 1)),
            # Makes the bound inductive: whoever is served goes behind all others.
            Assert(waited + self.ahead(m, dut, me) <= count - 1),
        ]
        return m

    def advance(self, m, dut):
        """Return whether the grant of this cycle is taken."""
        m.d.comb += dut.advance.eq(AnySeq(1))
        return dut.advance

    def ahead(self, m, dut, me):
        """Return how many go before one request, if all ask."""
        pointer = pointer_of(m, dut.behind)
        return Mux(me >= pointer, me - pointer, me + self.config.count - pointer)
