"""The matrix arbiter serves everybody within a bound, and a broken one is refuted."""

# amaranth: UnusedElaboratable=no
from amaranth.hdl import Const, Module

from cubecast.golden.common.contract.units import Requests
from cubecast.rtl.crosspoint.matrix_arbiter import MatrixArbiter
from cubecast.tb.harness.formal import prove
from tests.crosspoint.matrix_arbiter_spec import MatrixArbiterSpec


class LowestFirst(MatrixArbiter):
    """The order of the requests never changes."""

    def elaborate(self, platform):
        """Choose the lowest one."""
        m = Module()
        count = self.count
        self.before = [[Const(int(a < c), 1) for c in range(count)] for a in range(count)]
        m.d.comb += self.grant.eq(self.request & -self.request)
        return m


def test_matrix_arbiter_is_proven():
    """One grant if there is a request, and a request waits for K - 1 others at most, for all time."""
    prove(MatrixArbiterSpec(Requests(count=5)), depth=2)


def test_the_bound_of_the_matrix_arbiter_is_reached():
    """No smaller number would hold."""
    prove(MatrixArbiterSpec(Requests(count=5)), mode="cover", depth=8)


def test_broken_matrix_arbiter_is_refuted():
    """A request that waits for ever."""
    prove(MatrixArbiterSpec(Requests(count=5), LowestFirst), mode="bmc", depth=8, expect="fail")
