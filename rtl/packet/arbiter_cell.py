"""Arbiter cell: one of two, in turns."""

from amaranth import *
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

from cubecast.golden.packet.contract.config import PacketConfig

__all__ = ["ArbiterCell"]


class ArbiterCell(wiring.Component):
    """Grant the side that requests, and of two the one whose turn it is; combinational.

    Parameters
    ----------
    config : PacketConfig
        Parameters of the router.

    Ports
    -----
    request : in, 2
        Who wants to be granted.
    granted : in
        The cell above grants this one.
    advance : in
        It is the other side's turn after a grant in this cycle.
    any : out
        A side requests.
    grant : out, 2
        One-hot, or 0.

    Source: Buzzard 1988, section 5.4.3, figure 5.6.
    """

    def __init__(self, config: PacketConfig):
        self.config = config
        super().__init__({"request": In(2), "granted": In(1), "advance": In(1), "any": Out(1), "grant": Out(2)})

    def elaborate(self, platform):
        """Choose before it is known whether the cell is granted, so that only one gate comes after that."""
        m = Module()
        self.toggle = Signal()
        choice = Signal(2)
        m.d.comb += [
            choice[0].eq(self.request[0] & ~(self.request[1] & self.toggle)),
            choice[1].eq(self.request[1] & ~(self.request[0] & ~self.toggle)),
            self.any.eq(self.request.any()),
            self.grant.eq(choice & self.granted.replicate(2)),
        ]
        with m.If(self.advance & self.granted & self.any):
            m.d.sync += self.toggle.eq(choice[0])
        return m
