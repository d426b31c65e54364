"""What the node interface has to promise about the wires between its units and its ports."""

from amaranth.hdl import Assert, C, Cat, Cover, Module, Mux, Signal
from amaranth.lib import wiring

from cubecast.golden.node.contract.packet import Op
from cubecast.golden.node.contract.registers import Interrupt
from cubecast.golden.packet.contract.reason import PacketReason
from cubecast.rtl.node import node_interface
from cubecast.rtl.node.stream import place_bits
from tests.harness.inside import emptying, equal, freed, opened, unit

__all__ = ["NodeInterfaceSpec"]

UNITS = (
    *("instruction_queue", "node_registers", "event_log", "memory_ports", "buffer_pool", "arrival_tracker"),
    *("reply_store", "report_store", "matcher", "control_unit", "send_scheduler", "send_engine", "receive_engine"),
)

ADDRESSED = ("control_unit", "send_scheduler", "send_engine", "receive_engine")
"""Units that know the node's address."""

READERS = ("control_unit", "matcher", "send_engine", "send_scheduler")
WRITERS = ("receive_engine", "control_unit", "matcher", "send_scheduler")
"""Clients of the memory, in their order."""

TELLERS = ("receive_engine", "send_scheduler", "matcher", "control_unit")
"""Units with events, the first one going first."""

EVENT = ("reason", "status", "source", "value")

STREAMS = (
    ("instruction_queue.o", "control_unit.i"),
    ("receive_engine.first", "matcher.first"),
    ("receive_engine.control", "send_scheduler.answer"),
    ("matcher.prepare", "receive_engine.prepare"),
    ("control_unit.grab", "matcher.grab"),
    ("control_unit.post", "matcher.post"),
    ("control_unit.add", "send_scheduler.add"),
    ("control_unit.release", "buffer_pool.release"),
    ("send_scheduler.part", "send_engine.part"),
    ("send_engine.fault", "send_scheduler.fault"),
    ("send_engine.back", "send_scheduler.back"),
    ("reply_store.o", "send_engine.reply"),
    ("report_store.o", "send_scheduler.report"),
    ("event_log.event", "node_registers.event"),
)
"""Interfaces that are joined whole."""

WIRES = {
    ("instruction_queue", "node_registers"): ("places",),
    ("buffer_pool", "node_registers"): ("free", "least"),
    ("event_log", "node_registers"): ("pending", "lost"),
    ("matcher", "node_registers"): ("visit", "visited"),
    ("node_registers", "control_unit"): ("enable", "first", "last", "base"),
    ("node_registers", "buffer_pool"): ("enable", "base"),
    ("node_registers", "matcher"): ("base",),
    ("node_registers", "send_scheduler"): ("timeout",),
    ("buffer_pool", "matcher"): ("free",),
    ("buffer_pool", "control_unit"): ("released", "accepted"),
    ("matcher", "buffer_pool"): ("take",),
    ("control_unit", "buffer_pool"): ("put", "put_number"),
    ("matcher", "control_unit"): (
        *("grabbed", "granted", "settled", "how", "number", "source", "message_type", "length", "failed"),
    ),
    ("receive_engine", "control_unit"): ("kept", "kept_number", "kept_status"),
    ("arrival_tracker", "receive_engine"): ("full", "entry"),
    ("receive_engine", "arrival_tracker"): (
        *("open", "open_next", "open_last", "move", "move_entry", "move_next", "close", "close_entry"),
    ),
    ("send_scheduler", "send_engine"): ("preempt",),
}
"""Wires that have the same name at both ends: where from and where to."""

RENAMED = {
    ("node_registers", "event_log"): {"irq_enable": "enable", "irq_clear": "clear", "event_pop": "pop"},
    ("buffer_pool", "matcher"): {"number": "pool_number", "address": "pool_address"},
}
"""Those that have another one at the far end."""

SLOT_LANE = 2
"""Lane of the reports of a router's buffer slots, which are of packets that could not be delivered."""


class NodeInterfaceSpec(wiring.Component):
    """Every bit is joined with what it is joined with; of two that give the same, the first one goes first.

    All units are emptied.

    Parameters
    ----------
    config : NodeConfig
        Parameters of the node.
    lane : int
        Lane of the reports that count; with another one it must be refuted.
    """

    def __init__(self, config, lane=SLOT_LANE):
        self.config, self.lane = config, lane
        super().__init__({})

    def elaborate(self, platform):
        """Compare both ends of each wire."""
        m = Module()
        self.dut = dut = node_interface.NodeInterface(self.config)
        with emptying(node_interface):
            m.submodules.dut = fragment = opened(dut)
        freed(m, dut)
        units = {name: unit(fragment, name) for name in UNITS}
        for ends in STREAMS:
            one, other = (getattr(units[place], port) for place, _, port in (end.partition(".") for end in ends))
            m.d.comb += equal(one, other)
        wires = {ends: dict(zip(names, names, strict=True)) for ends, names in WIRES.items()}
        wires["matcher", "receive_engine"] = {
            name: name for name in ("verdict", "placed", "lost", "stop", *place_bits(self.config))
        }
        for (source, target), names in (*wires.items(), *RENAMED.items()):
            for name, there in names.items():
                m.d.comb += Assert(getattr(units[target], there) == getattr(units[source], name))
        m.d.comb += [
            *equal(dut.doorbell, units["instruction_queue"].doorbell),
            *equal(dut.control, units["node_registers"].control),
            *equal(units["send_engine"].inject, dut.inject),
            *equal(dut.eject, units["receive_engine"].eject),
            Assert(units["send_scheduler"].room == dut.inject.ready),
            *(Assert(units[name].address == dut.address) for name in ADDRESSED),
        ]
        self._memory(m, units)
        self._events(m, units)
        self._buffers(m, units)
        self._packets(m, units)
        return m

    def _memory(self, m, units):
        """Compare the clients of the memory with its ports."""
        dut, ports = self.dut, units["memory_ports"]
        for k, name in enumerate(READERS):
            client = units[name]
            m.d.comb += equal(client.reader, ports.reader[k])
            its = Cat(client.served, client.word, client.word_error)
            m.d.comb += Assert(its == Cat(ports.served[k], ports.word, ports.word_error))
        for k, name in enumerate(WRITERS):
            client = units[name]
            m.d.comb += equal(client.writer, ports.writer[k])
            m.d.comb += Assert(Cat(client.written, client.write_error) == Cat(ports.written[k], ports.write_error))
        m.d.comb += [
            *equal(ports.read, dut.read),
            *equal(ports.write, dut.write),
            *equal(dut.data, ports.data),
            Assert(Cat(ports.done, ports.done_error) == Cat(dut.done, dut.done_error)),
        ]

    def _events(self, m, units):
        """Follow events into the log, and what is counted."""
        dut, log, tracker, matcher = self.dut, units["event_log"], units["arrival_tracker"], units["matcher"]
        early, other = log.put
        m.d.comb += [
            Assert(dut.irq == log.irq),
            Assert(dut.early == tracker.early),
            *equal(dut.watch, tracker.watch),
            Assert(tracker.clear == units["node_registers"].irq_clear[Interrupt.EARLY_READ]),
            Assert(Cat(early.valid, early.value) == Cat(tracker.event.valid, tracker.event.address)),
            Assert(Cat(early.reason, early.status, early.source) == Interrupt.EARLY_READ),
        ]
        # What is not valid reads 0.
        taken, shown = C(0), C(0)
        for name in TELLERS:
            event = units[name].event
            m.d.comb += Assert(event.ready == (event.valid & ~taken & other.ready))
            shown = shown | Mux(event.valid & ~taken, Cat(getattr(event, field) for field in EVENT), 0)
            taken = taken | event.valid
        m.d.comb += [
            Assert(other.valid == taken),
            Assert(Cat(getattr(other, field) for field in EVENT) == shown),
            Cover(units["matcher"].event.valid & units["control_unit"].event.valid & units["matcher"].event.ready),
        ]
        receiver, put, prepare = units["receive_engine"], units["reply_store"].put, matcher.prepare
        kept = (matcher.verdict & matcher.placed & ~matcher.user) | (prepare.valid & prepare.ready & ~prepare.user)
        counts = (
            units["send_scheduler"].delivered,
            receiver.completed,
            units["send_engine"].sent,
            receiver.received,
            kept,
            matcher.verdict & ~matcher.placed & ~matcher.lost,
            put.valid & (put.op == Op.REWIND),
            receiver.stray,
        )
        m.d.comb += Assert(units["node_registers"].count == Cat(counts))

    def _buffers(self, m, units):
        """Say who lends a buffer, and when the matcher learns that there are more."""
        pool, control, receiver = units["buffer_pool"], units["control_unit"], units["receive_engine"]
        enable, was = units["node_registers"].enable, Signal()
        m.d.sync += was.eq(enable)
        begins = enable & ~was
        m.d.comb += [
            Assert(pool.lend == (receiver.lend | control.lend.valid)),
            Assert(pool.lend_number == Mux(receiver.lend, receiver.lend_number, control.lend.number)),
            Assert(control.lend.ready == ~receiver.lend),
            Assert(units["matcher"].freed == (control.put | (pool.released & pool.accepted) | begins)),
            Cover(begins & ~control.put & receiver.lend & control.lend.valid),
        ]

    def _packets(self, m, units):
        """Say who answers, and which reports of the router the scheduler hears of."""
        dut, replies, rewind = self.dut, units["reply_store"], units["matcher"].rewind
        own, put = units["receive_engine"].put, replies.put
        taken = rewind.valid & rewind.ready
        m.d.comb += Assert(rewind.ready == (replies.ready & ~own.valid))
        m.d.comb += Assert(put.valid == (own.valid | taken))
        for path, _, value in own.signature.flatten(own):
            of_matcher = {"valid": taken, "source": rewind.source, "op": C(Op.REWIND, len(put.op))}.get(path[0], 0)
            m.d.comb += Assert(getattr(put, path[0]) == Mux(own.valid, value, of_matcher))
        report, store = dut.report, units["report_store"].put
        m.d.comb += [
            Assert(
                store.valid
                == (report.valid & (report.lane == self.lane) & (report.reason == PacketReason.UNDELIVERABLE))
            ),
            Assert(store.destination == report.destination),
            Cover(taken & store.valid),
        ]
