"""What the matrix arbiter has to promise."""

from amaranth.asserts import AnyConst, AnySeq
from amaranth.hdl import Array, Assert, Assume, Cover, Module, Signal

from cubecast.rtl.crosspoint.matrix_arbiter import MatrixArbiter
from tests.crosspoint.arbiter_order import is_order
from tests.harness.spec import Spec

__all__ = ["MatrixArbiterSpec"]


class MatrixArbiterSpec(Spec):
    """At most one grant, only to a request, always one if there is a request; nobody waits for more than K - 1 others.

    Parameters
    ----------
    config : Requests
        Number of requests K, at least 2.
    """

    unit = MatrixArbiter

    def elaborate(self, platform):
        """Count how many others are served while one chosen request waits."""
        m = Module()
        dut, count = self.unit(self.config), self.config.count
        m.submodules.dut = dut.elaborate(platform)
        me, waited = Signal(range(count)), Signal(range(2 * count))
        m.d.comb += [dut.request.eq(AnySeq(count)), me.eq(AnyConst(range(count)))]
        served = (dut.grant >> me)[0]
        with m.If(~(dut.request >> me)[0] | served):
            m.d.sync += waited.eq(0)
        with m.Elif(dut.grant.any()):
            m.d.sync += waited.eq(waited + 1)
        before = dut.before
        ahead = Array(sum(before[c][a] for c in range(count) if c != a) for a in range(count))
        m.d.comb += [
            Assume(me < count),
            Assert((dut.grant & (dut.grant - 1)) == 0),
            Assert((dut.grant & ~dut.request) == 0),
            Assert((dut.grant != 0) == (dut.request != 0)),
            Assert(waited <= count - 1),
            Cover(waited == count - 1),
            # Makes the bound inductive: whoever is served goes behind all others, in an order.
            Assert(waited + ahead[me] <= count - 1),
            Assert(is_order(before)),
        ]
        return m
