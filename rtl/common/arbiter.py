"""Arbiter: round robin among requests."""

from amaranth import *
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

from cubecast.golden.common.contract.units import Requests

__all__ = ["Arbiter"]


class Arbiter(wiring.Component):
    """Grant the first request at or after the pointer, and set the pointer to the one after it.

    A request that stays is granted at the latest after ``count`` - 1 grants to others. Grants are combinational.

    Parameters
    ----------
    config : Requests
        The number of requests N.

    Ports
    -----
    request : in, N
        Who wants to be granted.
    advance : in
        Move the pointer to the one after the one granted.
    grant : out, N
        One-hot, or 0 without request.

    Source: the output gateway is a multiplexer of several MHUs (Lan 1988, section 6.3); the order is left open there.
    """

    def __init__(self, config: Requests):
        self.config = config
        self.count = count = config.count
        super().__init__({"request": In(count), "advance": In(1), "grant": Out(count)})

    def elaborate(self, platform):
        """Let each request look for one that is before it, as the pointer has it.

        The pointer is kept as what it is compared with: which requests lie before it.
        """
        m = Module()
        if self.count == 1:
            m.d.comb += self.grant.eq(self.request)
            return m
        last = self.count - 1
        self.behind = Signal(last)
        ahead = Cat(~self.behind, 1)
        for i in range(self.count):
            sooner = [self.request[j] & (ahead[j] | ~ahead[i]) for j in range(i)]
            sooner += [self.request[j] & ahead[j] & ~ahead[i] for j in range(i + 1, self.count)]
            m.d.comb += self.grant[i].eq(self.request[i] & ~Cat(sooner).any())
        with m.If(self.advance & self.request.any()):
            m.d.sync += self.behind.eq(Cat(self.grant[i:last].any() for i in range(last)))
        return m
