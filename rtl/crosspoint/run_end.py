"""Run end: whether the first run of a word that is written into a queue ends with the next hop, and a second begins."""

from amaranth import *
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

from cubecast.golden.crosspoint.contract.units import Crosspoint
from cubecast.golden.crosspoint.contract.word import KIND_BITS

__all__ = ["RunEnd"]


class RunEnd(wiring.Component):
    """Find what a next set asks of all bits of r1 and r2, before the word is written. Combinational.

    Parameters
    ----------
    config : Crosspoint
        Queue (i, j) that the word is written into, i > j or i = n; (n, n): the injection port.

    Ports
    -----
    r1, r2, kind : in, n and n and 2
        Of the word: the dimensions still to be crossed, in descending and then in ascending order.
    over : out
        No dimension of r1 is left behind the hop over link j.
    turns : out
        There a unicast begins its second run.
    """

    def __init__(self, config: Crosspoint):
        self.config = config
        n = config.router.dim
        super().__init__({"r1": In(n), "r2": In(n), "kind": In(KIND_BITS), "over": Out(1), "turns": Out(1)})

    def elaborate(self, platform):
        """Look at all dimensions at once."""
        m = Module()
        config, j = self.config.router, self.config.output
        m.d.comb += self.over.eq(~self.r1[:j].any())
        if config.runs == 2:
            # The hop over link j is one of the second run if r1 does not have it; then it is done behind it.
            second = self.r2 if j == config.dim else Cat(self.r2[:j], self.r2[j] & self.r1[j], self.r2[j + 1 :])
            unicast = self.kind == 0 if config.multicast else C(1, 1)
            m.d.comb += self.turns.eq(self.over & unicast & second.any())
        return m
