"""What the report collector has to promise."""

from amaranth.asserts import AnyConst, AnySeq
from amaranth.hdl import Assert, Assume, C, Cat, Cover, Module, Mux, Signal

from cubecast.rtl.common.report_collector import ReportCollector
from tests.common.arbiter_spec import pointer_of
from tests.harness.spec import Spec

__all__ = ["ReportCollectorSpec"]


class ReportCollectorSpec(Spec):
    """One report is taken in every cycle that has any, each within U cycles: after U - 1 others.

    What is taken is at the outputs in the next cycle, unchanged, and nothing else is.

    Parameters
    ----------
    config : Control
        Streams of reports; U = ``config.units``.
    """

    unit = ReportCollector

    def elaborate(self, platform):
        """Count how many others pass while one chosen report waits."""
        m = Module()
        config, units = self.config, self.config.units
        dut = self.place(m)
        pointer = pointer_of(m, self.register("arbiter", "behind"))
        me, waited = Signal(range(units)), Signal(range(2 * units))
        passed, taken = Signal(), Signal(len(dut.reason) + config.dim + len(dut.port) + len(dut.lane))
        valid, ready = Cat(i.valid for i in dut.i), Cat(i.ready for i in dut.i)
        m.d.comb += [me.eq(AnyConst(len(me))), Assume(me < units)]
        for i in dut.i:
            m.d.comb += [signal.eq(AnySeq(len(signal))) for signal in (i.valid, i.reason, i.destination)]
        with m.If(valid.bit_select(me, 1) & ~ready.bit_select(me, 1)):
            m.d.sync += waited.eq(waited + 1)
        with m.Else():
            m.d.sync += waited.eq(0)
        m.d.comb += [
            Assert((ready & (ready - 1)) == 0),
            Assert((ready & ~valid) == 0),
            Assert(valid.any() == ready.any()),
            Assert(dut.valid == passed),
            Assert(~passed | (Cat(dut.reason, dut.destination, dut.port, dut.lane) == taken)),
            Assert(waited <= units - 1),
            # Makes the bound inductive: whoever passes moves the pointer closer.
            Assert(waited + Mux(me >= pointer, me - pointer, me + units - pointer) <= units - 1),
            Cover(waited == units - 1),
        ]
        m.d.sync += passed.eq(valid.any())
        for u, i in enumerate(dut.i):
            channel, lane = divmod(u, config.lanes)
            with m.If(i.ready):
                m.d.sync += taken.eq(Cat(i.reason, i.destination, C(channel, len(dut.port)), C(lane, len(dut.lane))))
        return m
