"""What the control port has to promise about its counters and the fault vector."""

from amaranth.asserts import AnySeq
from amaranth.hdl import Assert, Const, Cover, Module, Mux, Signal
from amaranth.lib import wiring

from cubecast.golden.common.contract.control import Register
from cubecast.rtl.common.amaranth_private import assigned
from cubecast.rtl.common.control_port import ControlPort
from tests.harness.inside import opened, row
from tests.harness.spec import Spec, drive

__all__ = ["ControlPortSpec", "NoReportSpec"]

OF_A_REPORT = ("report_reason", "report_destination", "report_port", "report_lane")

GROUPS = {
    Register.MESSAGES_IN: "message_in",
    Register.MESSAGES_OUT: "message_out",
    Register.WORDS_OUT: "word_out",
    Register.WAITED: "waited",
}


class ControlPortSpec(Spec):
    """Every counter is, in each cycle, what it was plus its event, modulo 2^w, and can be read at its address.

    From any state, so wrapping needs no 2^w events; w is the width of the counters, 8 to 32. REPORTS of a reason that
    no report can have reads 0. FAULT changes by a write only, and CUT is FAULT or the neighbours' bits of the cycle
    before.

    Parameters
    ----------
    config : Control
        What the control port is made for.
    """

    unit = ControlPort

    def elaborate(self, platform):
        """Compare each register with what it was a cycle before."""
        m = Module()
        dut = self.place(m)
        drive(m, dut)
        began = Signal()
        m.d.sync += began.eq(1)

        def before(value):
            """Return a value as it was a cycle before."""
            kept = Signal(len(value))
            m.d.sync += kept.eq(value)
            return kept

        counters, reasons = {}, [reason for reason in range(16) if self.config.counts(reason)]
        for reason in reasons:
            event = dut.report_valid & (dut.report_reason == reason)
            counters[Register.REPORTS + reason] = self.register(f"reports_{reason}_count"), event
        for base, name in GROUPS.items():
            for port in range(self.config.ports):
                event = getattr(dut, name)[port]
                counters[base + port] = self.register(f"{name}_{port}_count"), event
        address = before(dut.address)
        fault, written = before(dut.fault), before(dut.write & (dut.address == Register.FAULT))
        data, down = before(dut.write_data), before(dut.down)
        checks = [
            dut.fault == Mux(written, data[: self.config.dim], fault),
            dut.cut == (fault | down),
        ]
        for reason in set(range(16)).difference(reasons):
            checks.append((address != Register.REPORTS + reason) | (dut.read_data == 0))
        for number, (counter, event) in counters.items():
            value = before(counter)
            checks.append(counter == (value + before(event))[: self.config.counter_bits])
            checks.append((address != number) | (dut.read_data == value))
        m.d.comb += [Assert(~began | check) for check in checks]
        m.d.comb += [
            Cover((address == number) & (value == 1) & before(event)),
            Cover(written & fault.any() & ~dut.fault.any() & dut.cut.any()),
        ]
        return m


class NoReportSpec(Spec):
    """What stands beside ``report_valid`` while it is 0 changes nothing: two that differ in it alone do the same.

    Parameters
    ----------
    config : Control
        What the control port is made for.
    """

    unit = ControlPort

    def elaborate(self, platform):
        """Give another one the same, but for that."""
        m = Module()
        dut, other = self.place(m), self.unit(self.config)
        m.submodules.other = beside = opened(other)
        drive(m, dut)
        for path, member, port in dut.signature.flatten(dut):
            (name,) = path
            if member.flow == wiring.Out:
                m.d.comb += Assert(port == getattr(other, name))
            elif name in OF_A_REPORT:
                m.d.comb += getattr(other, name).eq(Mux(dut.report_valid, port, AnySeq(len(port))))
            else:
                m.d.comb += getattr(other, name).eq(port)
        here, there = ({signal.name: signal for signal in assigned(fragment)} for fragment in (self.fragment, beside))
        m.d.comb += [
            # Make it inductive.
            *(Assert(here[name] == there[name]) for name in here),
            *(
                Assert(row(self.fragment, "log", address=at) == row(beside, "log", address=at))
                for at in map(Const, range(1 << max(1, (self.config.log_depth - 1).bit_length())))
            ),
            Cover(~dut.report_valid & (dut.report_reason != other.report_reason)),
        ]
        return m
