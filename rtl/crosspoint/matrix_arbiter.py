"""Matrix arbiter: the request that was served longest ago."""

from amaranth import *
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

from cubecast.golden.common.contract.units import Requests

__all__ = ["MatrixArbiter"]


class MatrixArbiter(wiring.Component):
    """Grant the request that was granted longest ago; at first, the lowest. No latency.

    A request that stays is granted at the latest after ``count`` - 1 grants to others.

    Parameters
    ----------
    config : Requests
        The number of requests K.

    Ports
    -----
    request : in, K
        Who wants to be granted.
    grant : out, K
        One-hot, or 0 without request.
    """

    def __init__(self, config: Requests):
        self.config = config
        self.count = count = config.count
        super().__init__({"request": In(count), "grant": Out(count)})

    def elaborate(self, platform):
        """Build one register for each pair of requests: whether the lower one comes first."""
        m = Module()
        count = self.count
        # before[a][c]: a comes before c.
        self.before = before = [[C(0, 1)] * count for _ in range(count)]
        for a in range(count):
            for c in range(a + 1, count):
                lower = Signal(init=1, name=f"before_{a}_{c}")
                before[a][c], before[c][a] = lower, ~lower
                with m.If(self.grant[a]):
                    m.d.sync += lower.eq(0)
                with m.Elif(self.grant[c]):
                    m.d.sync += lower.eq(1)
        for a in range(count):
            earlier = Cat(self.request[c] & before[c][a] for c in range(count) if c != a)
            m.d.comb += self.grant[a].eq(self.request[a] & ~earlier.any())
        return m
