"""What a load node has to promise about the messages that wait."""

from amaranth.hdl import Assert, Cover, Module, Signal
from amaranth.lib import wiring

from tests.harness.inside import freed, opened, register

__all__ = ["BacklogSpec"]


class BacklogSpec(wiring.Component):
    """From any state, as many messages as can be counted are never none in the next cycle, and one fewer when one goes.

    Parameters
    ----------
    unit : Component
        The design, with a register ``backlog``; a broken one must be refuted.
    """

    def __init__(self, unit):
        self.unit = unit
        super().__init__({})

    def elaborate(self, platform):
        """Compare the count with what it was a cycle before."""
        m = Module()
        m.submodules.dut = fragment = opened(self.unit)
        freed(m, self.unit)
        backlog = register(fragment, "backlog")
        before, began = Signal(len(backlog)), Signal()
        m.d.sync += [before.eq(backlog), began.eq(1)]
        m.d.comb += Assert(~began | ~before.all() | backlog[1:].all())
        # It does grow, so that a count which stands is no proof.
        m.d.comb += Cover(began & (backlog > before))
        return m
