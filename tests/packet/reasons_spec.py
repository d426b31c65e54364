"""Which reasons the reports of a packet router have."""

from amaranth.hdl import Assert, Assume, Cat, Cover, Module

from tests.harness.inside import unit
from tests.harness.spec import Spec, drive

__all__ = ["PacketReasonsSpec"]


class PacketReasonsSpec(Spec):
    """A unit reports the reasons that are its own, of those that the contract says there can be, and no others.

    Whatever comes in; without a fault vector no link is cut. What is put into a queue of reports comes out unchanged.

    Parameters
    ----------
    config : PacketConfig
        Parameters of the router.
    reasons : iterable of PacketReason
        Those of the unit in a router with a fault vector.
    unit : class
        The design to be checked; a broken one must be refuted.
    extra
        Further arguments of the unit.
    """

    def __init__(self, config, reasons, unit, **extra):
        self.reasons = sorted(config.reasons.intersection(reasons))
        super().__init__(config, unit, **extra)

    def elaborate(self, platform):
        """Look at the unit's reports, or at what its queue of them gets."""
        m = Module()
        dut = self.place(m)
        drive(m, dut)
        if not self.config.fault_tolerant and "cut" in dut.signature.members:
            m.d.comb += Assume(dut.cut == 0)
        if "reason" in dut.signature.members:
            made, reason = dut.report, dut.reason
        else:
            queue = unit(self.fragment, *self.inside, "reports")
            made, reason = queue.put, queue.reason
        m.d.comb += Assert(~made | Cat(reason == code for code in self.reasons).any())
        m.d.comb += [Cover(made & (reason == code)) for code in self.reasons]
        return m
