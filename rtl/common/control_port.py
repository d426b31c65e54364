"""Control port: fault vector, error log and counters of a router."""

from amaranth import *
from amaranth.lib import data, wiring
from amaranth.lib.wiring import In, Out
from amaranth.utils import ceil_log2

from cubecast.golden.common.contract.control import Register, register_map
from cubecast.golden.common.contract.units import ADDRESS_BITS, DATA_BITS, REASON_BITS, Control
from cubecast.rtl.common.pointed_memory import PointedMemory
from cubecast.rtl.common.register_port import packed

__all__ = ["ControlPort", "serve", "tell"]


class ControlPort(wiring.Component):
    """Hold the fault flip-flops and what the node's processor can know of its router.

    ``read_data`` is a register: what ``address`` selects in cycle t, as the registers stand in cycle t, is there in
    cycle t + 1. Addresses without a register read as 0. The map is that of golden/common/contract/control.py.

    Parameters
    ----------
    config : Control
        Dimension of the cube, whether there is a fault vector, depth of the log, width of the counters, reason codes.

    Ports
    -----
    address, write, write_data : in, 7 and 1 and 32
        Access by the processor.
    down : in, n
        FAULT bits of the neighbours for the links to this node; only in the fault-tolerant format.
    message_in, message_out, word_out, waited : in, n + 1
        Events to count, one bit per port.
    report_valid, report_reason, report_destination, report_port, report_lane : in, 1, 4, n, 4, 4
        A report, with one of the reason codes that there can be.
    read_data : out, 32
        Register selected one cycle ago.
    fault : out, n
        The fault vector; bit j: the neighbour or link in dimension j is faulty; a register.
    cut : out, n
        Links that are out of use: the own or the neighbour's fault bit of the cycle before; a register.
    multiple_faults : out
        More than one link is cut.

    Source: Lan 1988, section 7.4 (fault flip-flops), section 7.5 (report to the host).
    """

    def __init__(self, config: Control):
        self.config = config
        n = config.dim
        ports = {
            "address": In(ADDRESS_BITS),
            "write": In(1),
            "write_data": In(DATA_BITS),
            "message_in": In(n + 1),
            "message_out": In(n + 1),
            "word_out": In(n + 1),
            "waited": In(n + 1),
            "report_valid": In(1),
            "report_reason": In(REASON_BITS),
            "report_destination": In(n),
            "report_port": In(REASON_BITS),
            "report_lane": In(REASON_BITS),
            "read_data": Out(DATA_BITS),
            "fault": Out(n),
            "cut": Out(n),
            "multiple_faults": Out(1),
        }
        if config.fault_tolerant:
            ports["down"] = In(n)
        super().__init__(ports)

    def elaborate(self, platform):
        """Build the registers and the read multiplexer."""
        m = Module()
        entries = {entry.name: entry for entry in register_map(self.config)}
        if self.config.fault_tolerant:
            with m.If(self.write & (self.address == Register.FAULT)):
                m.d.sync += self.fault.eq(self.write_data)
            m.d.sync += self.cut.eq(self.fault | self.down)
        m.d.comb += self.multiple_faults.eq((self.cut & (self.cut - 1)).any())
        status = {"multiple_faults": self.multiple_faults}
        registers = {Register.FAULT: self.fault, Register.STATUS: None}
        if "LOG" in entries:
            self._log(m, entries, registers, status)
        registers[Register.STATUS] = packed(entries["STATUS"], **status)
        registers[Register.CUT] = self.cut
        if self.config.counter_bits:
            self._count(m, registers)
        with m.Switch(self.address):
            for address, value in registers.items():
                with m.Case(address):
                    m.d.sync += self.read_data.eq(value)
            with m.Default():
                m.d.sync += self.read_data.eq(0)
        return m

    def _count(self, m, registers):
        """Build the counters of reports and of the ports' events."""
        for reason in filter(self.config.counts, range(1 << REASON_BITS)):
            event = self.report_valid & (self.report_reason == reason)
            registers[Register.REPORTS + reason] = self._counter(m, event, f"reports_{reason}")
        groups = {
            Register.MESSAGES_IN: "message_in",
            Register.MESSAGES_OUT: "message_out",
            Register.WORDS_OUT: "word_out",
            Register.WAITED: "waited",
        }
        for base, name in groups.items():
            for port in range(self.config.ports):
                registers[base + port] = self._counter(m, getattr(self, name)[port], f"{name}_{port}")

    def _counter(self, m, event, name):
        """Return a register that counts an event."""
        counter = Signal(self.config.counter_bits, name=f"{name}_count")
        with m.If(event):
            m.d.sync += counter.eq(counter + 1)
        return counter

    def _log(self, m, entries, registers, status):
        """Build the error log; add the word at its address, whether there is one, and the count of lost entries."""
        depth, n = self.config.log_depth, self.config.dim
        bits = max(1, ceil_log2(depth))
        shape = data.StructLayout({"destination": n, "reason": REASON_BITS, "port": REASON_BITS, "lane": REASON_BITS})
        kept = PointedMemory(m, "log", self.config.memories, shape=shape, depth=1 << bits)
        newest, oldest, level = Signal(bits), Signal(bits), Signal(range(depth + 1))
        valid, put, take = Signal(), Signal(), Signal()
        write = kept.write_port()
        m.d.comb += [
            valid.eq(level != 0),
            put.eq(self.report_valid & (level != depth)),
            take.eq(self.write & (self.address == Register.LOG) & valid),
            write.en.eq(put),
            write.addr.eq(newest),
            write.data.destination.eq(self.report_destination),
            write.data.reason.eq(self.report_reason),
            write.data.port.eq(self.report_port),
            write.data.lane.eq(self.report_lane),
        ]
        after = Mux(oldest == depth - 1, 0, oldest + 1)
        entry = kept.head(oldest, after, take, level)
        with m.If(put):
            m.d.sync += newest.eq(Mux(newest == depth - 1, 0, newest + 1))
        with m.If(take):
            m.d.sync += oldest.eq(after)
        m.d.sync += level.eq(level + put - take)
        status["log_not_empty"] = valid
        word = packed(entries["LOG"], **{name: getattr(entry, name) for name in shape.members}, valid=C(1))
        registers[Register.LOG] = Mux(valid, word, 0)
        if self.config.counts_lost:
            registers[Register.LOG_LOST] = lost = self._counter(m, self.report_valid & (level == depth), "lost")
            status["entries_lost"] = lost.any()


def serve(m: Module, control: wiring.PureInterface, port: ControlPort) -> None:
    """Let a router's register port reach its control port.

    Parameters
    ----------
    m : Module
        The router under construction.
    control : interface
        Its register port.
    port : ControlPort
        Its control port.
    """
    m.d.comb += [
        port.address.eq(control.address),
        port.write.eq(control.write),
        port.write_data.eq(control.write_data),
        control.read_data.eq(port.read_data),
    ]


def tell(m: Module, collector: wiring.Component, port: ControlPort, report: wiring.PureInterface) -> None:
    """Give what the report collector has to the control port, and out of the router.

    Parameters
    ----------
    m : Module
        The router under construction.
    collector : ReportCollector
        Its report collector.
    port : ControlPort
        Its control port.
    report : interface
        Its reports.
    """
    for name in ("valid", "reason", "destination", "port", "lane"):
        value = getattr(collector, name)
        m.d.comb += [getattr(port, f"report_{name}").eq(value), getattr(report, name).eq(value)]
