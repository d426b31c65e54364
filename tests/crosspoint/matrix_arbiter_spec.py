"""What the matrix arbiter has to promise."""

from amaranth.hdl import Array, Assert

from cubecast.rtl.crosspoint.matrix_arbiter import MatrixArbiter
from tests.common.arbiter_spec import ArbiterSpec
from tests.crosspoint.arbiter_order import is_order

__all__ = ["MatrixArbiterSpec"]


class MatrixArbiterSpec(ArbiterSpec):
    """The same as of the round-robin arbiter; every grant is taken.

    Parameters
    ----------
    config : Requests
        Number of requests K, at least 2.
    """

    unit = MatrixArbiter

    def advance(self, m, dut):
        """Return whether there is a grant."""
        return dut.grant.any()

    def ahead(self, m, dut, me):
        """Return how many go before one request, in what is proven to be an order."""
        m.d.comb += Assert(is_order(dut.before))
        count = self.config.count
        return Array(sum(dut.before[c][a] for c in range(count) if c != a) for a in range(count))[me]
