"""Eligibility: the dimensions that each destination may be sent in under the policy ``ordered``."""

from amaranth import *
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

from cubecast.golden.multicast.contract.config import Config

__all__ = ["Eligibility"]


class Eligibility(wiring.Component):
    """Restrict the reference array to the hops that the policy ``ordered`` allows: first 1 -> 0, then 0 -> 1.

    A row votes for the 1 -> 0 hops it needs, as long as it can make one, else for every hop it needs and can make:
    votes_i = a_i AND address AND NOT fault if that is not zero, else a_i AND NOT fault. Combinational.

    Parameters
    ----------
    config : Config
        Parameters of the router.

    Ports
    -----
    a : in, m * n
        Reference array, row i as item i - 1.
    address : in, n
        Local address.
    fault : in, n
        Dimensions that must not be taken.
    votes : out, m * n
        The reference array for the multicaster.

    Source: restriction of Lan 1988, section 6.6, that leaves no cycle of waiting buffers.
    """

    def __init__(self, config: Config):
        self.config = config
        n, size = config.dim, config.max_dest * config.dim
        super().__init__({"a": In(size), "address": In(n), "fault": In(n), "votes": Out(size)})

    def elaborate(self, platform):
        """Write down the equations."""
        m = Module()
        n = self.config.dim
        usable, down = Signal(n), Signal(n)
        m.d.comb += [usable.eq(~self.fault), down.eq(self.address & usable)]
        for i in range(self.config.max_dest):
            row = self.a.word_select(i, n)
            descends = (row & down).any()
            m.d.comb += self.votes.word_select(i, n).eq(row & usable & (self.address | ~descends.replicate(n)))
        return m
