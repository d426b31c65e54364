"""Node interface: all that stands between a processor, its memory and its packet router."""

from amaranth import *
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out, connect, flipped

from cubecast.golden.common.contract.units import REASON_BITS as REPORT_BITS
from cubecast.golden.node.contract.config import NodeConfig
from cubecast.golden.node.contract.packet import Op
from cubecast.golden.node.contract.registers import ADDRESS_BITS as NUMBER_BITS
from cubecast.golden.node.contract.registers import Counter, Interrupt
from cubecast.golden.packet.contract.reason import PacketReason
from cubecast.rtl.common.instance import place
from cubecast.rtl.common.register_port import RegisterPort
from cubecast.rtl.node.arrival_tracker import ArrivalTracker
from cubecast.rtl.node.buffer_pool import BufferPool
from cubecast.rtl.node.control_unit import ControlUnit
from cubecast.rtl.node.event_log import EventLog
from cubecast.rtl.node.instruction_queue import InstructionQueue
from cubecast.rtl.node.matcher import Matcher
from cubecast.rtl.node.memory_ports import MemoryPorts
from cubecast.rtl.node.node_registers import NodeRegisters
from cubecast.rtl.node.receive_engine import ReceiveEngine
from cubecast.rtl.node.reply_store import ReplyStore
from cubecast.rtl.node.report_store import ReportStore
from cubecast.rtl.node.send_engine import SendEngine
from cubecast.rtl.node.send_scheduler import SendScheduler
from cubecast.rtl.node.stream import ADDRESS_BITS, WORD_BITS, Doorbell, Read, Write, place_bits
from cubecast.rtl.packet.link import Words
from cubecast.rtl.packet.node_output_port import Inject

__all__ = ["Interface", "NodeInterface"]

SLOT_LANE = 2
"""Lane of the reports of the router's buffer slots."""

SIZE_BITS = 2
"""Bits of the size of a processor's read: 1, 2 or 4 bytes."""


class Interface(wiring.Signature):
    """What a processor and its memory have of a node interface."""

    def __init__(self) -> None:
        data = wiring.Signature({"valid": Out(1), "word": Out(WORD_BITS), "error": Out(1)})
        watch = wiring.Signature({"valid": Out(1), "address": Out(ADDRESS_BITS), "size": Out(SIZE_BITS)})
        super().__init__(
            {
                "doorbell": In(Doorbell()),
                "control": In(RegisterPort(NUMBER_BITS)),
                "read": Out(Read()),
                "data": In(data),
                "write": Out(Write()),
                "done": In(1),
                "done_error": In(1),
                "watch": In(watch),
                "early": Out(1),
                "irq": Out(1),
            }
        )


class NodeInterface(wiring.Component):
    """Messages, header blocks and interrupts on one side, packets on the other.

    Parameters
    ----------
    config : NodeConfig
        Parameters of the node.

    Ports
    -----
    address : in, n
        Strap: the node's address.
    doorbell__valid, doorbell__instruction, doorbell__address, doorbell__ready : 1, 3, 32, 1
        Instructions of the processor.
    control__address, control__write, control__write_data, control__read_data : 8, 1, 32, 32
        Registers.
    read__*, data__*, write__*, done, done_error
        Node memory, as the memory ports have it.
    watch__valid, watch__address, watch__size, early : in, 1 and 32 and 2; out, 1
        Reads of the processor, and whether the one of the cycle before was of bytes that are still to come.
    irq : out
        Interrupt.
    inject__valid, inject__data, inject__last, inject__slots, inject__kind, inject__ready : 1, W, 1, n, 2, n
        Packets for the router.
    eject__valid, eject__data, eject__last, eject__error, eject__ready : 1, W, 1, 1, 1
        Packets from it.
    report__valid, report__reason, report__destination, report__lane : in, 1, 4, n, 4
        Its reports.

    Source: Buzzard 1988, section 4.1 and chapter 5 (packet communication processor).
    """

    def __init__(self, config: NodeConfig):
        self.config = config
        report = {
            "valid": Out(1),
            "reason": Out(REPORT_BITS),
            "destination": Out(config.dim),
            "lane": Out(REPORT_BITS),
        }
        super().__init__(
            {
                "address": In(config.dim),
                **Interface().members,
                "inject": Out(Inject(config.router, kinds=True)),
                "eject": In(Words(config.router)),
                "report": In(wiring.Signature(report)),
            }
        )

    def elaborate(self, platform):
        """Place the units and connect them."""
        m = Module()
        config = self.config
        self._queue = place(m, "instruction_queue", InstructionQueue, config)
        self._registers = place(m, "node_registers", NodeRegisters, config)
        self._log = place(m, "event_log", EventLog, config)
        self._ports = place(m, "memory_ports", MemoryPorts, config)
        self._pool = place(m, "buffer_pool", BufferPool, config)
        self._tracker = place(m, "arrival_tracker", ArrivalTracker, config)
        self._replies = place(m, "reply_store", ReplyStore, config)
        self._reports = place(m, "report_store", ReportStore, config)
        self._matcher = place(m, "matcher", Matcher, config)
        self._control = place(m, "control_unit", ControlUnit, config)
        self._scheduler = place(m, "send_scheduler", SendScheduler, config)
        self._sender = place(m, "send_engine", SendEngine, config)
        self._receiver = place(m, "receive_engine", ReceiveEngine, config)
        for unit in (self._control, self._scheduler, self._sender, self._receiver):
            m.d.comb += unit.address.eq(self.address)
        self._processor(m)
        self._memory(m)
        self._buffers(m)
        self._messages(m)
        return m

    def _processor(self, m):
        """Connect instructions, registers and interrupts."""
        queue, registers, log, tracker = self._queue, self._registers, self._log, self._tracker
        control, matcher, receiver, scheduler = self._control, self._matcher, self._receiver, self._scheduler
        connect(m, flipped(self.doorbell), queue.doorbell)
        connect(m, queue.o, control.i)
        connect(m, flipped(self.control), registers.control)
        connect(m, log.event, registers.event)
        early, other = log.put
        prepared = matcher.prepare.valid & matcher.prepare.ready & ~matcher.prepare.user
        counted = {
            Counter.MESSAGES_SENT: scheduler.delivered,
            Counter.MESSAGES_RECEIVED: receiver.completed,
            Counter.PACKETS_SENT: self._sender.sent,
            Counter.PACKETS_RECEIVED: receiver.received,
            Counter.UNEXPECTED: (matcher.verdict & matcher.placed & ~matcher.user) | prepared,
            Counter.POSTPONED: matcher.verdict & ~(matcher.placed | matcher.lost),
            Counter.REWINDS: self._replies.put.valid & (self._replies.put.op == Op.REWIND),
            Counter.STRAY: receiver.stray,
        }
        m.d.comb += [
            registers.places.eq(queue.places),
            registers.free.eq(self._pool.free),
            registers.least.eq(self._pool.least),
            registers.pending.eq(log.pending),
            registers.lost.eq(log.lost),
            registers.visit.eq(matcher.visit),
            registers.visited.eq(matcher.visited),
            *(registers.count[number].eq(strobe) for number, strobe in counted.items()),
            log.enable.eq(registers.irq_enable),
            log.clear.eq(registers.irq_clear),
            log.pop.eq(registers.event_pop),
            self.irq.eq(log.irq),
            early.valid.eq(tracker.event.valid),
            early.reason.eq(Interrupt.EARLY_READ),
            early.value.eq(tracker.event.address),
            tracker.clear.eq(registers.irq_clear[Interrupt.EARLY_READ]),
            *(getattr(tracker.watch, name).eq(getattr(self.watch, name)) for name in ("valid", "address", "size")),
            self.early.eq(tracker.early),
            *(getattr(control, name).eq(getattr(registers, name)) for name in ("enable", "first", "last", "base")),
            scheduler.timeout.eq(registers.timeout),
        ]
        for k, event in enumerate((receiver.event, scheduler.event, matcher.event, control.event)):
            with m.If(event.valid) if k == 0 else m.Elif(event.valid):
                m.d.comb += [other.valid.eq(1), event.ready.eq(other.ready)]
                m.d.comb += [
                    getattr(other, name).eq(getattr(event, name)) for name in ("reason", "status", "source", "value")
                ]

    def _memory(self, m):
        """Connect those who read and write with the memory."""
        ports = self._ports
        readers = (self._control, self._matcher, self._sender, self._scheduler)
        writers = (self._receiver, self._control, self._matcher, self._scheduler)
        for k, unit in enumerate(readers):
            connect(m, unit.reader, ports.reader[k])
            m.d.comb += [
                unit.served.eq(ports.served[k]),
                unit.word.eq(ports.word),
                unit.word_error.eq(ports.word_error),
            ]
        for k, unit in enumerate(writers):
            connect(m, unit.writer, ports.writer[k])
            m.d.comb += [unit.written.eq(ports.written[k]), unit.write_error.eq(ports.write_error)]
        connect(m, ports.read, flipped(self.read))
        connect(m, ports.write, flipped(self.write))
        connect(m, flipped(self.data), ports.data)
        m.d.comb += [ports.done.eq(self.done), ports.done_error.eq(self.done_error)]

    def _buffers(self, m):
        """Connect the pool with those who take, lend and give back."""
        pool, matcher, control, receiver = self._pool, self._matcher, self._control, self._receiver
        registers, enabled = self._registers, Signal()
        m.d.sync += enabled.eq(registers.enable)
        m.d.comb += [
            pool.enable.eq(registers.enable),
            pool.base.eq(registers.base),
            pool.take.eq(matcher.take),
            pool.put.eq(control.put),
            pool.put_number.eq(control.put_number),
            pool.lend.eq(receiver.lend | control.lend.valid),
            pool.lend_number.eq(Mux(receiver.lend, receiver.lend_number, control.lend.number)),
            control.lend.ready.eq(~receiver.lend),
            matcher.base.eq(registers.base),
            matcher.free.eq(pool.free),
            matcher.pool_number.eq(pool.number),
            matcher.pool_address.eq(pool.address),
            matcher.freed.eq(pool.put | (pool.released & pool.accepted) | (registers.enable & ~enabled)),
            *(getattr(pool.release, name).eq(getattr(control.release, name)) for name in ("valid", "address")),
            control.release.ready.eq(pool.release.ready),
            control.released.eq(pool.released),
            control.accepted.eq(pool.accepted),
        ]

    def _messages(self, m):
        """Connect the units that send and receive."""
        matcher, control, receiver, tracker = self._matcher, self._control, self._receiver, self._tracker
        scheduler, sender, replies = self._scheduler, self._sender, self._replies
        connect(m, receiver.first, matcher.first)
        connect(m, matcher.prepare, receiver.prepare)
        connect(m, control.grab, matcher.grab)
        connect(m, control.post, matcher.post)
        connect(m, control.add, scheduler.add)
        connect(m, receiver.control, scheduler.answer)
        connect(m, scheduler.part, sender.part)
        connect(m, sender.fault, scheduler.fault)
        connect(m, sender.back, scheduler.back)
        connect(m, replies.o, sender.reply)
        connect(m, sender.inject, flipped(self.inject))
        connect(m, flipped(self.eject), receiver.eject)
        for unit, names in (
            (receiver, ("verdict", "placed", "lost", "stop", *place_bits(self.config))),
            (control, ("grabbed", "granted", "settled", "how", "number", "source", "message_type", "length", "failed")),
        ):
            m.d.comb += [getattr(unit, name).eq(getattr(matcher, name)) for name in names]
        for name in ("open", "open_next", "open_last", "move", "move_entry", "move_next", "close", "close_entry"):
            m.d.comb += getattr(tracker, name).eq(getattr(receiver, name))
        m.d.comb += [
            receiver.full.eq(tracker.full),
            receiver.entry.eq(tracker.entry),
            *(getattr(control, name).eq(getattr(receiver, name)) for name in ("kept", "kept_number", "kept_status")),
            scheduler.room.eq(self.inject.ready),
            sender.preempt.eq(scheduler.preempt),
        ]
        own, put = receiver.put, replies.put
        with m.If(own.valid):
            m.d.comb += [getattr(put, name).eq(getattr(own, name)) for name in own.signature.members]
        with m.Else():
            m.d.comb += [
                matcher.rewind.ready.eq(replies.ready),
                put.valid.eq(matcher.rewind.valid & replies.ready),
                put.source.eq(matcher.rewind.source),
                put.op.eq(Op.REWIND),
            ]
        connect(m, self._reports.o, scheduler.report)
        mine = (self.report.lane == SLOT_LANE) & (self.report.reason == PacketReason.UNDELIVERABLE)
        m.d.comb += [
            self._reports.put.valid.eq(self.report.valid & mine),
            self._reports.put.destination.eq(self.report.destination),
        ]
