"""Matrix arbiter: the request that was served longest ago."""

from amaranth import *
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

from cubecast.golden.common.contract.units import Requests

__all__ = ["MatrixArbiter", "order"]


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
        """Grant by the order in which requests were granted."""
        m = Module()
        count = self.count
        self.before = before = order(m, self.grant)
        for a in range(count):
            earlier = Cat(self.request[c] & before[c][a] for c in range(count) if c != a)
            m.d.comb += self.grant[a].eq(self.request[a] & ~earlier.any())
        return m


def order(m: Module, served: Value) -> list[list[Value]]:
    """Build one register for each pair of requests: whether the lower one comes first.

    Parameters
    ----------
    m : Module
        The module under construction.
    served : Value
        Which request is served in this cycle: one-hot, or 0.

    Returns
    -------
    list
        ``before[a][c]``: a was served longer ago than c; at first, the lower one.
    """
    count = len(served)
    before: list[list[Value]] = [[C(0, 1)] * count for _ in range(count)]
    for a in range(count):
        for c in range(a + 1, count):
            lower = Signal(init=1, name=f"before_{a}_{c}")
            before[a][c], before[c][a] = lower, ~lower
            with m.If(served[a]):
                m.d.sync += lower.eq(0)
            with m.Elif(served[c]):
                m.d.sync += lower.eq(1)
    return before
