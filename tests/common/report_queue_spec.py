"""What the report queue has to promise."""

from amaranth.asserts import AnySeq
from amaranth.hdl import Assert, Cat, Cover, Module, Signal

from cubecast.rtl.common.report_queue import ReportQueue
from tests.harness.spec import Spec, drive

__all__ = ["ReportQueueSpec"]


class ReportQueueSpec(Spec):
    """Every report put while fewer than two are stored comes out, once, unchanged and in its turn.

    ``calm`` says that none is stored, ``room`` that fewer than two are.

    Parameters
    ----------
    config : Control
        Width of an address.
    """

    unit = ReportQueue

    def elaborate(self, platform):
        """Follow a report chosen at will, and the number of those stored."""
        m = Module()
        dut = self.place(m)
        stored, oldest, newest = (self.register(name) for name in ("stored", "oldest", "newest"))
        new, out = Cat(dut.reason, dut.destination), Cat(dut.o.reason, dut.o.destination)
        drive(m, dut.put, dut.reason, dut.destination, dut.o.ready)
        count, put, take = Signal(range(3)), Signal(), Signal()
        chosen, place, report = Signal(), Signal(1), Signal(len(new))
        m.d.comb += [put.eq(dut.put & (count != 2)), take.eq(dut.o.valid & dut.o.ready)]
        m.d.sync += count.eq(count + put - take)
        with m.If(chosen):
            m.d.sync += place.eq(place - take)
            with m.If(place == 0):
                m.d.sync += chosen.eq(~take)
                m.d.comb += Assert(dut.o.valid & (out == report))
        with m.Elif(put & AnySeq(1)):
            m.d.sync += [chosen.eq(1), place.eq(count - take), report.eq(new)]
        m.d.comb += [
            Assert(count <= 2),
            Assert(dut.o.valid == (count != 0)),
            Assert(dut.calm == (count == 0)),
            Assert(dut.room == (count != 2)),
            # Makes it inductive: where the reports are.
            Assert(stored == Cat(count != 0, count == 2)),
            Assert(~chosen | (place < count)),
            Assert(~(chosen & (place == 0)) | (oldest == report)),
            Assert(~(chosen & (place == 1)) | (newest == report)),
            Cover((count == 2) & take & chosen & (place == 1)),
        ]
        return m
