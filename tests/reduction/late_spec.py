"""What the registers of the join unit have to promise of words that are late."""

from amaranth.hdl import Assert, Cover, Module, Signal

from cubecast.golden.reduction.contract.registers import TICK, Register
from cubecast.rtl.reduction.registers import Registers
from tests.harness.spec import Spec, drive

__all__ = ["LateSpec"]


class LateSpec(Spec):
    """LATE is set by the wait of 256 TIMEOUT cycles without a pause, and by nothing else, at every bit of both.

    The wait counts from a write to TIMEOUT on, so that the timer is never past its limit. The statement is about one
    cycle, from any such state of the timer and of TIMEOUT, so no run of 2^24 cycles is needed.
    """

    unit = Registers

    def elaborate(self, platform):
        """Compare timer and LATE with what they were a cycle before."""
        m = Module()
        dut = self.place(m)
        drive(m, dut)
        timer, ticks, late = (self.register(name) for name in ("timer", "TIMEOUT_ticks", "status_late"))
        began, waits, counted, limit = Signal(), Signal(), Signal(25), Signal(25)
        was_late, clears, wrote = Signal(), Signal(), Signal()
        m.d.sync += [
            began.eq(1),
            waits.eq(dut.late_wait != 0),
            counted.eq(timer + 1),
            limit.eq(ticks * TICK),
            was_late.eq(late),
            clears.eq(dut.write & (dut.address == Register.STATUS) & dut.write_data[0]),
            wrote.eq(dut.write & (dut.address == Register.TIMEOUT)),
        ]
        over = waits & (limit != 0) & (counted == limit)
        goes_on = waits & ~over & ~wrote
        m.d.comb += [
            Assert((ticks == 0) | (timer < ticks * TICK)),
            Assert(~began | ~goes_on | (timer == counted[:24])),
            Assert(~began | goes_on | (timer == 0)),
            Assert(~began | (late == (over | (was_late & ~clears)))),
            Cover(began & over & ~was_late),
        ]
        return m
