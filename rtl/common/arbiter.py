"""Arbiter: round robin among requests."""

from amaranth import *
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

from cubecast.golden.common.contract.units import Requests

__all__ = ["Arbiter"]


class Arbiter(wiring.Component):
    """Grant the first request at or after the pointer, and set the pointer behind it.

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
        Move the pointer behind the one granted.
    grant : out, N
        One-hot, or 0 without request.

    Source: the output gateway is a multiplexer of several MHUs (Lan 1988, section 6.3); the order is left open there.
    """

    def __init__(self, config: Requests):
        self.config = config
        self.count = count = config.count
        super().__init__({"request": In(count), "advance": In(1), "grant": Out(count)})

    def elaborate(self, platform):
        """Let each request look for one that is before it, as the pointer has it: the pointer is there early."""
        m = Module()
        if self.count == 1:
            m.d.comb += self.grant.eq(self.request)
            return m
        self.pointer = Signal(range(self.count))
        ahead = Signal(self.count)
        # The last one is at or after every pointer.
        m.d.comb += ahead.eq(Cat(*(self.pointer <= i for i in range(self.count - 1)), 1))
        for i in range(self.count):
            sooner = [self.request[j] & (ahead[j] | ~ahead[i]) for j in range(i)]
            sooner += [self.request[j] & ahead[j] & ~ahead[i] for j in range(i + 1, self.count)]
            m.d.comb += self.grant[i].eq(self.request[i] & ~Cat(sooner).any())
        with m.If(self.advance):
            for i in range(self.count):
                with m.If(self.grant[i]):
                    m.d.sync += self.pointer.eq((i + 1) % self.count)
        return m
