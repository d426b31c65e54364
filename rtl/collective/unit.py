"""Collective unit: the part of a node that merges vectors, passes them on and takes part in rings."""

from amaranth import *
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out, connect, flipped

from cubecast.golden.collective.contract.config import CollectiveConfig
from cubecast.golden.collective.contract.registers import ADDRESS_BITS
from cubecast.golden.collective.contract.segment import HEADER, Kind
from cubecast.golden.collective.contract.states import State
from cubecast.rtl.collective.merge_collector import MergeCollector
from cubecast.rtl.collective.operation_unit import OperationUnit
from cubecast.rtl.collective.pass_buffer import PassBuffer
from cubecast.rtl.collective.pass_sequencer import PassSequencer
from cubecast.rtl.collective.receiver import CollectiveReceiver
from cubecast.rtl.collective.registers import CollectiveRegisters
from cubecast.rtl.collective.sender import CollectiveSender
from cubecast.rtl.collective.sequencer import CollectiveSequencer
from cubecast.rtl.collective.vector_memory import VectorMemory
from cubecast.rtl.common.instance import place
from cubecast.rtl.common.register_port import RegisterPort
from cubecast.rtl.multicast.link import Words

__all__ = ["CollectiveUnit"]

REPLACE = 7
"""The operation whose result is the other word."""

REQUEST = ("distant", "targets", "destination", *HEADER, "argument", "body")
"""Inputs of the sender that both sequencers ask for by the same names."""

WORD = ("valid", "data", "last", "error")


class CollectiveUnit(wiring.Component):
    """Everything that a node needs for collectives, between its router's local port and its processor.

    Parameters
    ----------
    config : CollectiveConfig
        Parameters of the node.

    Ports
    -----
    address : in, n
        Strap: the node's address.
    eject__valid, eject__data, eject__last, eject__error, eject__ready
        Deliveries of the router; ready always, but for messages of a ring.
    inject__valid, inject__data, inject__last, inject__error, inject__ready
        Messages to the router; valid is a function of registers.
    vector_in__valid, vector_in__data, vector_in__last, vector_in__error, vector_in__ready
        The node's own vector; ``error`` is ignored.
    vector_out__valid, vector_out__data, vector_out__last, vector_out__error, vector_out__ready
        The result of a merge, or the messages of a ring; ended with ``error`` by an abort.
    control__address, control__write, control__write_data, control__read_data : 6, 1, 32, 32
        Registers; see ``docs/collective_units.md``.
    custom_own, custom_other, custom_result : out, out, in, w
        An operation outside of the unit: the word of the vector, the word that came in, and the word to be kept. The
        first two are 0 while no word goes into the vector.
    busy, failed : out
        An operation is under way; something of it was not whole or too long.
    enable : out
        The local port belongs to the collectives.
    finished : out
        An operation ends in this cycle.

    Source: Leu and Kuo, algorithm FTTC; Lin and Chen, group-multicast over a ring.
    """

    def __init__(self, config: CollectiveConfig):
        self.config = config
        width, words = config.width, Words(config.router)
        super().__init__(
            {
                "address": In(config.dim),
                "eject": In(words),
                "inject": Out(words),
                "vector_in": In(words),
                "vector_out": Out(words),
                "control": In(RegisterPort(ADDRESS_BITS)),
                "custom_own": Out(width),
                "custom_other": Out(width),
                "custom_result": In(width),
                "busy": Out(1),
                "failed": Out(1),
                "enable": Out(1),
                "finished": Out(1),
            }
        )

    def elaborate(self, platform):
        """Place the parts and connect them."""
        m = Module()
        config = self.config
        self.receiver = place(m, "receiver", CollectiveReceiver, config)
        self.collector = place(m, "collector", MergeCollector, config)
        self.sequencer = place(m, "sequencer", CollectiveSequencer, config)
        self.passing = place(m, "pass_sequencer", PassSequencer, config)
        self.buffer = place(m, "pass_buffer", PassBuffer, config)
        self.sender = place(m, "sender", CollectiveSender, config)
        self.memory = place(m, "memory", VectorMemory, config)
        self.operation = place(m, "operation_unit", OperationUnit, config)
        self.registers = place(m, "registers", CollectiveRegisters, config)
        connect(m, flipped(self.eject), self.receiver.i)
        connect(m, self.sender.o, flipped(self.inject))
        connect(m, flipped(self.control), self.registers.control)
        for name, readers in self._readers().items():
            connect(m, getattr(self.registers, name), *(getattr(unit, name) for unit in readers))
        for unit in (self.collector, self.sequencer, self.passing, self.sender):
            m.d.comb += unit.address.eq(self.address)
        self._collect(m)
        self._pass(m)
        self._send(m)
        self._remember(m)
        closing = self._put_out(m)
        self._report(m, closing)
        return m

    def _readers(self):
        """Return the units that read each bundle of the registers."""
        three = (self.collector, self.sequencer, self.passing)
        return {"command": three, "awaited": three, "own": (self.sequencer,), "relay": (self.passing,)}

    def _collect(self, m):
        """Connect receiver, collector and sequencer, but for the streams and the sender."""
        collector, sequencer = self.collector, self.sequencer
        connect(m, self.receiver.arrival, collector.arrival, self.passing.arrival)
        connect(m, collector.gathered, sequencer.gathered)
        connect(m, collector.passed, self.passing.passed)
        m.d.comb += [
            collector.bad.eq(self.receiver.bad),
            collector.stage_here.eq(self.registers.own.stage),
            collector.state.eq(sequencer.state),
            collector.length.eq(sequencer.length),
            sequencer.pass_done.eq(self.passing.pass_done),
            sequencer.memory_data.eq(self.memory.read_data),
        ]

    def _pass(self, m):
        """Connect what the pass sequencer needs, but for the streams and the sender, and its buffer."""
        passing, buffer = self.passing, self.buffer
        connect(m, self.receiver.offer, passing.offer)
        connect(m, passing.store, buffer.store)
        m.d.comb += [
            passing.phase.eq(self.receiver.phase),
            passing.next_member.eq(self.registers.own.next_member),
            passing.received.eq(self.collector.gathered.received),
            passing.busy.eq(self.sequencer.busy),
            passing.state.eq(self.sequencer.state),
            buffer.clear.eq(self.registers.command.start | self.registers.command.cut_short),
            buffer.pop.eq(passing.pop_head | self.sender.pop),
        ]

    def _send(self, m):
        """Give the sender what one of the two sequencers asks for; the node's own part goes first."""
        sender, sequencer, store = self.sender, self.sequencer, self.buffer.store
        mine_asked, passed_asked, cut_short = sequencer.request, self.passing.request, self.registers.command.cut_short
        free, own = Signal(), Signal()
        mine = Signal()
        m.d.comb += [
            free.eq(sender.idle & ~cut_short),
            own.eq(mine_asked.valid),
            mine_asked.granted.eq(free & own),
            passed_asked.granted.eq(free & ~own & passed_asked.valid),
            sender.start.eq(mine_asked.granted | passed_asked.granted),
            mine_asked.done.eq(sender.done & mine),
            passed_asked.done.eq(sender.done & ~mine),
            sender.cut_short.eq(cut_short),
            sender.broadcast.eq(own & sequencer.broadcast),
            sender.offset.eq(Mux(own, sequencer.offset, 0)),
            sender.length.eq(Mux(own, sequencer.count, 0)),
            sender.from_pass.eq(~own & (passed_asked.kind > Kind.END_CREDIT)),
            sender.memory_data.eq(self.memory.read_data),
            sender.pass_valid.eq(store.level != 0),
            sender.pass_data.eq(store.o_data),
            sender.pass_last.eq(store.o_last),
            sender.pass_error.eq(store.o_error),
        ]
        for name in REQUEST:
            m.d.comb += getattr(sender, name).eq(Mux(own, getattr(mine_asked, name), getattr(passed_asked, name)))
        with m.If(sender.start):
            m.d.sync += mine.eq(own)

    def _remember(self, m):
        """Connect the memory of the vector: it is loaded, merged into, sent from and put out, at different times."""
        memory, sequencer, collector, operation = self.memory, self.sequencer, self.collector, self.operation
        if self.config.reads_ahead:
            sends = (sequencer.state == State.SEND) | (sequencer.state == State.SPREAD)
            merged_or_sent = Mux(sends, self.sender.ahead, collector.ahead)
            m.d.comb += memory.read_ahead.eq(Mux(sequencer.puts_out, sequencer.ahead, merged_or_sent))
        else:
            with m.Switch(sequencer.state):
                with m.Case(State.SEND, State.SPREAD):
                    m.d.comb += memory.read_address.eq(self.sender.pointer)
                with m.Case(State.OUTPUT):
                    m.d.comb += memory.read_address.eq(sequencer.place)
                with m.Default():
                    m.d.comb += memory.read_address.eq(collector.pointer)
        m.d.comb += [
            memory.write.eq(sequencer.load | collector.write),
            memory.write_address.eq(Mux(sequencer.load, sequencer.place, collector.pointer)),
            memory.write_data.eq(Mux(sequencer.load, self.vector_in.data, operation.result)),
            operation.operation.eq(Mux(collector.replace, REPLACE, self.registers.operation)),
            operation.own.eq(memory.read_data),
            operation.other.eq(self.receiver.offer.data),
            operation.custom.eq(self.custom_result),
            self.custom_own.eq(Mux(collector.write, memory.read_data, 0)),
            self.custom_other.eq(Mux(collector.write, self.receiver.offer.data, 0)),
        ]

    def _put_out(self, m):
        """Connect the streams of the host; return whether a message to it is being closed after an abort."""
        sequencer, passing, out = self.sequencer, self.passing, self.vector_out
        open_ = Signal()
        closing = Signal()
        moved = Signal()
        for name in ("valid", "data", "last"):
            m.d.comb += getattr(sequencer.vector_in, name).eq(getattr(self.vector_in, name))
        m.d.comb += [
            self.vector_in.ready.eq(sequencer.vector_in.ready),
            moved.eq(out.valid & out.ready),
            self.receiver.ring_ready.eq(passing.ring_ready & ~closing),
            # Nothing is half taken when the local port is the host's again.
            self.receiver.cut_short.eq(self.registers.command.cut_short | ~self.registers.enable),
        ]
        with m.If(closing):
            m.d.comb += [out.valid.eq(1), out.last.eq(1), out.error.eq(1)]
        with m.Else():
            m.d.comb += [sequencer.vector_out.ready.eq(out.ready), passing.vector_out.ready.eq(out.ready)]
            with m.If(self.registers.awaited.ring):
                m.d.comb += [getattr(out, name).eq(getattr(passing.vector_out, name)) for name in WORD]
            with m.Else():
                m.d.comb += [getattr(out, name).eq(getattr(sequencer.vector_out, name)) for name in WORD[:-1]]
        with m.If(moved):
            m.d.sync += open_.eq(~out.last)
        with m.If(closing):
            m.d.sync += closing.eq(~moved)
        with m.Elif(self.registers.command.cut_short):
            m.d.sync += closing.eq(Mux(moved, ~out.last, open_))
        return closing

    def _report(self, m, closing):
        """Tell the host, and the registers, how the operation goes."""
        sequencer, collector, registers = self.sequencer, self.collector, self.registers
        overflow = Signal()
        with m.If(sequencer.failing):
            m.d.sync += overflow.eq(1)
        with m.If(registers.command.start):
            m.d.sync += overflow.eq(0)
        m.d.comb += [
            self.busy.eq(sequencer.busy | closing),
            self.failed.eq(collector.failed | overflow),
            self.enable.eq(registers.enable),
            self.finished.eq(sequencer.finished),
            registers.busy.eq(self.busy),
            registers.failed.eq(self.failed),
            registers.entry.eq(self.passing.entry),
            registers.received.eq(collector.gathered.received),
        ]
        for name in ("state", "sent_stage", "sent_hops", "finished"):
            m.d.comb += getattr(registers, name).eq(getattr(sequencer, name))
        if self.config.counters:
            m.d.comb += registers.strange.eq(collector.strange)
