"""Collective unit: the part of a node that merges vectors, passes them on and takes part in rings."""

from amaranth import *
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out, connect, flipped

from cubecast.golden.collective.contract.config import CollectiveConfig
from cubecast.golden.collective.contract.segment import Kind
from cubecast.golden.collective.contract.states import State
from cubecast.rtl.collective.merge_collector import MergeCollector
from cubecast.rtl.collective.operation_unit import OperationUnit
from cubecast.rtl.collective.pass_buffer import PassBuffer
from cubecast.rtl.collective.pass_sequencer import PassSequencer
from cubecast.rtl.collective.receiver import CollectiveReceiver
from cubecast.rtl.collective.registers import CollectiveRegisters
from cubecast.rtl.collective.segment import fields
from cubecast.rtl.collective.sender import CollectiveSender
from cubecast.rtl.collective.sequencer import CollectiveSequencer
from cubecast.rtl.collective.vector_memory import VectorMemory
from cubecast.rtl.common.instance import place
from cubecast.rtl.common.register_port import RegisterPort
from cubecast.rtl.multicast.link import Words

__all__ = ["ADDRESS_BITS", "CollectiveUnit"]

ADDRESS_BITS = 6
"""Width of the address of a register."""

REPLACE = 7
"""The operation whose result is the other word."""

OWN_PART = (
    "ring",
    "result",
    "empty",
    "receive",
    "sends",
    "stage",
    "way",
    "detour",
    "spread",
    "next_member",
    "own",
    "ends",
    "send_dim",
    "send_place",
    "expected",
)
"""Registers that the collective sequencer reads."""

THROUGH = ("ring", "expected", "next_member", "relays")
RELAY_ENTRIES = ("relay_from", "relay_to", "relay_first", "relay_end")
"""Registers that the pass sequencer reads, and those of them that only a node with relay entries has."""

READ = ("head", "word", "message_end", *fields(), "argument")
"""What both the collector and the pass sequencer get from the receiver."""

REQUEST = {
    "distant": "distant",
    "targets": "targets",
    "destination": "destination",
    "kind": "kind_out",
    "is_final": "final_out",
    "stage": "stage_out",
    "hops": "hops_out",
    "argument": "argument_out",
    "body": "body",
}
"""Inputs of the sender, and the outputs of both sequencers that go there."""

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
        for unit in (self.collector, self.sequencer, self.passing):
            _wire(m, unit, self.registers, ("start", "cut_short"))
        for unit in (self.collector, self.sequencer, self.passing, self.sender):
            m.d.comb += unit.address.eq(self.address)
        self._collect(m)
        self._sequence(m)
        self._pass(m)
        self._send(m)
        self._remember(m)
        closing = self._put_out(m)
        self._report(m, closing)
        return m

    def _collect(self, m):
        """Connect what the collector needs."""
        collector, registers = self.collector, self.registers
        _wire(m, collector, self.receiver, (*READ, "bad"))
        _wire(m, collector, registers, ("ring", "expected"))
        _wire(m, collector, self.sequencer, ("state", "length", "use_credit"))
        _wire(m, collector, self.passing, ("relay_open", "use_relay", "use_end"))
        m.d.comb += collector.stage_here.eq(registers.stage)

    def _sequence(self, m):
        """Connect what the collective sequencer needs, but for the streams and the sender."""
        sequencer = self.sequencer
        _wire(m, sequencer, self.registers, OWN_PART)
        _wire(m, sequencer, self.collector, ("received", "credit", "highest", "result_here"))
        m.d.comb += [
            sequencer.pass_done.eq(self.passing.pass_done),
            sequencer.memory_data.eq(self.memory.read_data),
        ]

    def _pass(self, m):
        """Connect what the pass sequencer needs, but for the streams and the sender, and its buffer."""
        passing, buffer = self.passing, self.buffer
        _wire(m, passing, self.registers, (*THROUGH, *(RELAY_ENTRIES if self.config.max_relays else ())))
        _wire(m, passing, self.collector, ("received", "relay_credit", "end_credits", "accept", "accepted"))
        _wire(m, passing, self.receiver, (*READ, "phase", "offered", "data", "last", "error"))
        _wire(m, passing, buffer, ("level", "o_data", "o_last", "o_final"))
        m.d.comb += [
            passing.busy.eq(self.sequencer.busy),
            passing.state.eq(self.sequencer.state),
            buffer.clear.eq(self.registers.start | self.registers.cut_short),
            buffer.push.eq(passing.push),
            buffer.i_data.eq(passing.push_data),
            buffer.i_last.eq(passing.push_last),
            buffer.i_final.eq(passing.push_final),
            buffer.pop.eq(passing.pop_head | self.sender.pop),
        ]

    def _send(self, m):
        """Give the sender what one of the two sequencers asks for; the node's own part goes first."""
        sender, sequencer, passing, buffer = self.sender, self.sequencer, self.passing, self.buffer
        free, own = Signal(), Signal()
        mine = Signal()
        m.d.comb += [
            free.eq(sender.idle & ~self.registers.cut_short),
            own.eq(sequencer.request),
            sequencer.granted.eq(free & own),
            passing.granted.eq(free & ~own & passing.request),
            sender.start.eq(sequencer.granted | passing.granted),
            sequencer.done.eq(sender.done & mine),
            passing.done.eq(sender.done & ~mine),
            sender.cut_short.eq(self.registers.cut_short),
            sender.broadcast.eq(own & sequencer.broadcast),
            sender.offset.eq(Mux(own, sequencer.offset, 0)),
            sender.length.eq(Mux(own, sequencer.count, 0)),
            sender.from_pass.eq(~own & (passing.kind_out > Kind.END_CREDIT)),
            sender.memory_data.eq(self.memory.read_data),
            sender.pass_valid.eq(buffer.level != 0),
            sender.pass_data.eq(buffer.o_data),
            sender.pass_last.eq(buffer.o_last),
        ]
        for name, asked in REQUEST.items():
            m.d.comb += getattr(sender, name).eq(Mux(own, getattr(sequencer, asked), getattr(passing, asked)))
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
            operation.other.eq(self.receiver.data),
            operation.custom.eq(self.custom_result),
            self.custom_own.eq(Mux(collector.write, memory.read_data, 0)),
            self.custom_other.eq(Mux(collector.write, self.receiver.data, 0)),
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
            self.receiver.cut_short.eq(self.registers.cut_short),
        ]
        with m.If(closing):
            m.d.comb += [out.valid.eq(1), out.last.eq(1), out.error.eq(1)]
        with m.Else():
            m.d.comb += [sequencer.vector_out.ready.eq(out.ready), passing.vector_out.ready.eq(out.ready)]
            with m.If(self.registers.ring):
                m.d.comb += [getattr(out, name).eq(getattr(passing.vector_out, name)) for name in WORD]
            with m.Else():
                m.d.comb += [getattr(out, name).eq(getattr(sequencer.vector_out, name)) for name in WORD[:-1]]
        with m.If(moved):
            m.d.sync += open_.eq(~out.last)
        with m.If(closing):
            m.d.sync += closing.eq(~moved)
        with m.Elif(self.registers.cut_short):
            m.d.sync += closing.eq(Mux(moved, ~out.last, open_))
        return closing

    def _report(self, m, closing):
        """Tell the host, and the registers, how the operation goes."""
        sequencer, collector, registers = self.sequencer, self.collector, self.registers
        overflow = Signal()
        with m.If(sequencer.failing):
            m.d.sync += overflow.eq(1)
        with m.If(registers.start):
            m.d.sync += overflow.eq(0)
        m.d.comb += [
            self.busy.eq(sequencer.busy | closing),
            self.failed.eq(collector.failed | overflow),
            self.enable.eq(registers.enable),
            self.finished.eq(sequencer.finished),
            registers.busy.eq(self.busy),
            registers.failed.eq(self.failed),
            registers.entry.eq(self.passing.entry),
        ]
        _wire(m, registers, sequencer, ("state", "sent_stage", "sent_hops", "finished"))
        _wire(m, registers, collector, ("received", *(["strange"] if self.config.counters else [])))


def _wire(m, into, source, names):
    """Connect outputs of a unit with inputs of the same names."""
    m.d.comb += [getattr(into, name).eq(getattr(source, name)) for name in names]
