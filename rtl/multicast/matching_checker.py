"""Matching checker: whether the local node is among the destinations."""

from amaranth import *
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

from cubecast.golden.multicast.contract.config import Config

__all__ = ["MatchingChecker"]


class MatchingChecker(wiring.Component):
    """Remember whether a relative address of zero has come by. ``match`` is a register.

    Parameters
    ----------
    config : Config
        Parameters of the router.

    Ports
    -----
    clear : in
        Clear; wins over ``check``.
    check : in
        ``relative`` is a destination.
    relative : in, n
        Address relative to this node.
    match : out
        A destination since the last ``clear`` was this node, from the cycle after it on.

    Source: Lan 1988, section 6.5.4.
    """

    def __init__(self, config: Config):
        self.config = config
        super().__init__({"clear": In(1), "check": In(1), "relative": In(config.dim), "match": Out(1)})

    def elaborate(self, platform):
        """Keep the flag."""
        m = Module()
        with m.If(self.clear):
            m.d.sync += self.match.eq(0)
        with m.Elif(self.check & (self.relative == 0)):
            m.d.sync += self.match.eq(1)
        return m
