"""What a load node has to promise about when it offers a message."""

from amaranth.hdl import Assert, Cover, Module

from cubecast.rtl.common.load_node import LoadNode
from tests.harness.spec import Spec, drive

__all__ = ["OfferSpec"]


class OfferSpec(Spec):
    """A message that is drawn is on offer, or refused, whenever any wait, however many; any state.

    Parameters
    ----------
    config : LoadShape
        Parameters of the node.
    """

    unit = LoadNode

    def elaborate(self, platform):
        """Compare what is on offer with the count of what waits."""
        m = Module()
        dut = self.place(m)
        drive(m, dut)
        backlog, drawn, seeded = (self.register(name) for name in ("backlog", "drawn", "seeded"))
        offered = dut.inject.valid | dut.refused
        m.d.comb += [
            Assert(offered == (drawn & seeded & ~dut.load & (backlog != 0))),
            Assert(dut.idle == (backlog == 0)),
            Cover(offered & (backlog == 2)),
        ]
        return m
