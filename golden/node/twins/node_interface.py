"""Node interface: everything between a processor, its memory and its packet router."""

from __future__ import annotations

import functools

from cubecast.golden.common.twins.ports import Inputs, Outputs
from cubecast.golden.node.contract.config import NodeConfig
from cubecast.golden.node.contract.packet import Op
from cubecast.golden.node.contract.registers import Interrupt, Register
from cubecast.golden.node.twins.arrival_tracker import ArrivalTracker
from cubecast.golden.node.twins.buffer_pool import BufferPool
from cubecast.golden.node.twins.control_unit import ControlUnit
from cubecast.golden.node.twins.event_log import EventLog
from cubecast.golden.node.twins.instruction_queue import InstructionQueue
from cubecast.golden.node.twins.matcher import Matcher
from cubecast.golden.node.twins.memory_ports import MemoryPorts
from cubecast.golden.node.twins.message_cutter import MessageCutter
from cubecast.golden.node.twins.node_registers import NodeRegisters
from cubecast.golden.node.twins.receive_engine import ReceiveEngine
from cubecast.golden.node.twins.reply_store import ReplyStore
from cubecast.golden.node.twins.report_store import ReportStore
from cubecast.golden.node.twins.send_engine import SendEngine
from cubecast.golden.node.twins.send_scheduler import SendScheduler
from cubecast.golden.node.twins.unit import Unit
from cubecast.golden.packet.contract.reason import PacketReason

__all__ = ["NodeInterface"]

OWN_SLOT = 2
"""Lane of a report of one of the node's slots."""

MEMORY_IN = ("read__ready", "data__valid", "data__word", "data__error", "write__ready", "done", "done_error")
"""Ports of the memory."""

SETTLED = ("grabbed", "granted", "settled", "how", "number", "source", "message_type", "length", "failed")
"""What the matcher tells the control unit."""

VERDICT = ("verdict", "placed", "lost", "stop", "user", "block", "room", "buffer", "pooled", "number")
"""What it tells the receive engine."""

TRACKED = ("open", "open_next", "open_last", "move", "move_entry", "move_next", "close", "close_entry")
"""What the receive engine tells the tracker."""

Shown = dict[str, tuple[dict[str, int], Outputs]]
"""Inputs and outputs of all units, by name."""


class NodeInterface(Unit):
    """Twin of the node interface.

    Parameters
    ----------
    config : NodeConfig
        Parameters of the node.

    Source: Buzzard 1988, figure 5.1 (node interface) and sections 5.1 and 5.4.
    """

    def __init__(self, config: NodeConfig) -> None:
        """Start in reset."""
        self.config = config
        self.queue = InstructionQueue(config)
        self.log = EventLog(config)
        self.registers = NodeRegisters(config)
        self.ports = MemoryPorts(config)
        self.pool = BufferPool(config)
        self.tracker = ArrivalTracker(config)
        self.replies = ReplyStore(config)
        self.reports = ReportStore(config)
        self.send = SendEngine(config)
        self.scheduler = SendScheduler(config)
        self.matcher = Matcher(config)
        self.engine = ReceiveEngine(config)
        self.control = ControlUnit(config)
        self.units: dict[str, Unit] = {name: unit for name, unit in vars(self).items() if isinstance(unit, Unit)}
        self.clear()

    def clear(self) -> None:
        """Set what is beside the units to its reset value."""
        self.enabled = 0

    @property
    def cutter(self) -> MessageCutter:
        """The unit that cuts messages."""
        return self.send.cutter

    def settle(self, inputs: Inputs) -> Shown:
        """Return inputs and outputs of all units in a cycle, each asked when it is known what its outputs depend on."""
        get = inputs.get
        own, room = {"address": get("address", 0)}, get("inject__ready", 0)
        control = _of("control__", inputs)
        registers = self.registers.show(control)
        settings = _only(registers, ("enable", "first", "last", "base", "timeout"))
        base = settings["base"]
        tracker, unit = self.tracker.show({}), self.control.show({**own, "base": base})
        pool_in = {
            **_only(settings, ("enable", "base")),
            **_only(unit, ("put", "put_number")),
            **_of("release__", unit),
        }
        pool = self.pool.show(pool_in)

        # What these units say of themselves does not depend on whether they are heard.
        early = self.matcher.show({})
        engine_in = {
            **own,
            **_of("eject__", inputs),
            **_only(early, VERDICT),
            **_of("prepare__", early),
            **_only(tracker, ("full", "entry")),
        }
        engine = self.engine.show(engine_in)
        send_in = {**own, "inject__ready": room}
        send = self.send.show(send_in)

        reports = self.reports.show({})
        scheduler_in = {
            **own,
            "room": room,
            "timeout": settings["timeout"],
            **_of("add__", unit),
            **_of("control__", engine, "answer__"),
            **_of("fault__", send),
            **_of("back__", send),
            "part__ready": send["part__ready"] or 0,
            **_of("o__", reports, "report__"),
        }
        scheduler = self.scheduler.show(scheduler_in)
        ports_in = _only(inputs, MEMORY_IN)
        for place, client in enumerate((unit, early, send, scheduler)):
            ports_in |= _of("reader__", client, f"reader__{place}__")
        for place, client in enumerate((engine, unit, early, scheduler)):
            ports_in |= _of("writer__", client, f"writer__{place}__")
        ports = self.ports.show(ports_in)
        reading = [self._answers(ports, "reader", place) for place in range(4)]
        writing = [self._answers(ports, "writer", place) for place in range(4)]

        engine_in |= writing[0]
        engine = self.engine.show(engine_in)
        rewinds = self.replies.cleared == self.config.nodes and not engine["put__valid"]
        put = _of("put__", engine)
        if rewinds and early["rewind__valid"]:
            put = {"put__valid": 1, "put__source": early["rewind__source"] or 0, "put__op": int(Op.REWIND)}
        replies = self.replies.show(put)
        send_in |= {**_of("o__", replies, "reply__"), **_of("part__", scheduler), **reading[2]}
        send_in |= _only(scheduler, ("fault__ready", "back__ready", "preempt"))
        send = self.send.show(send_in)
        freed = unit["put"] or (pool["released"] and pool["accepted"]) or (settings["enable"] and not self.enabled)
        matcher_in = {
            **_of("first__", engine),
            **_of("grab__", unit),
            **_of("post__", unit),
            "prepare__ready": engine["prepare__ready"] or 0,
            "rewind__ready": int(rewinds),
            **reading[1],
            **writing[2],
            "base": base,
            **_only(pool, ("free",)),
            **{f"pool_{name}": value for name, value in _only(pool, ("number", "address")).items()},
            "freed": int(bool(freed)),
        }
        matcher = self.matcher.show(matcher_in)
        events = [_of("event__", client, "put__1__") for client in (engine, scheduler, early, unit)]
        chosen = next((place for place, event in enumerate(events) if event["put__1__valid"]), 0)
        log_in = {
            "put__0__valid": tracker["event__valid"] or 0,
            "put__0__reason": int(Interrupt.EARLY_READ),
            "put__0__value": tracker["event__address"] or 0,
            **events[chosen],
            "enable": registers["irq_enable"] or 0,
            "clear": registers["irq_clear"] or 0,
            "pop": registers["event_pop"] or 0,
        }
        log = self.log.show(log_in)
        heard = [{"event__ready": (log["put__1__ready"] or 0) * (place == chosen)} for place in range(4)]

        matcher_in |= heard[2]
        engine_in |= {
            "first__ready": matcher["first__ready"] or 0,
            "control__ready": scheduler["answer__ready"] or 0,
            **heard[0],
        }
        scheduler_in |= {**reading[3], **writing[3], **heard[1]}
        lends = _only(engine, ("lend", "lend_number"))
        if not lends["lend"]:
            lends = {"lend": unit["lend__valid"] or 0, "lend_number": unit["lend__number"] or 0}
        pool_in |= {"take": matcher["take"] or 0, **lends}
        queue_in = {**_of("doorbell__", inputs), "o__ready": unit["i__ready"] or 0}
        queue = self.queue.show(queue_in)
        unit_in = {
            **own,
            **_only(settings, ("enable", "first", "last", "base")),
            **_of("o__", queue, "i__"),
            **reading[0],
            **writing[1],
            **_only(matcher, SETTLED),
            **_only(pool, ("released", "accepted")),
            **_only(engine, ("kept", "kept_number", "kept_status")),
            "add__ready": scheduler["add__ready"] or 0,
            "grab__ready": matcher["grab__ready"] or 0,
            "post__ready": matcher["post__ready"] or 0,
            "release__ready": pool["release__ready"] or 0,
            "lend__ready": int(not engine["lend"]),
            **heard[3],
        }
        registers_in = {
            **control,
            **_only(queue, ("places",)),
            **_only(pool, ("free", "least")),
            **_only(log, ("pending", "lost")),
            **_of("event__", log),
            **_only(matcher, ("visit", "visited")),
            "count": self._counts(scheduler, engine, send, matcher, put),
        }
        tracker_in = {
            **_of("watch__", inputs),
            **_only(engine, TRACKED),
            "clear": (registers["irq_clear"] or 0) >> Interrupt.EARLY_READ & 1,
        }
        return {
            "queue": (queue_in, queue),
            "log": (log_in, log),
            "registers": (registers_in, registers),
            "ports": (ports_in, ports),
            "pool": (pool_in, pool),
            "tracker": (tracker_in, tracker),
            "replies": ({**put, "o__ready": send["reply__ready"] or 0}, replies),
            "reports": (self._reported(inputs) | {"o__ready": scheduler["report__ready"] or 0}, reports),
            "send": (send_in, send),
            "scheduler": (scheduler_in, scheduler),
            "matcher": (matcher_in, matcher),
            "engine": (engine_in, engine),
            "control": (unit_in, unit),
        }

    def rest(self) -> bool:
        """Let a cycle pass in which nothing comes in, while it rests; return whether it rests still."""
        self.scheduler.pass_time(self.registers.settings[Register.TIMEOUT])
        return not self.scheduler.tick

    def _answers(self, ports: Outputs, kind: str, place: int) -> dict[str, int]:
        """Return what a client of the memory is told."""
        done, error = ("served", "word_error") if kind == "reader" else ("written", "write_error")
        found = {
            f"{kind}__ready": ports[f"{kind}__{place}__ready"] or 0,
            done: (ports[done] or 0) >> place & 1,
            error: ports[error] or 0,
        }
        return found | ({"word": ports["word"] or 0} if kind == "reader" else {})

    @staticmethod
    def _reported(inputs: Inputs) -> dict[str, int]:
        """Return what the router says of packets of the node itself that found no way."""
        get = inputs.get
        own = get("report__lane", 0) == OWN_SLOT and get("report__reason", 0) == PacketReason.UNDELIVERABLE
        valid = int(bool(get("report__valid")) and own)
        return {"put__valid": valid, "put__destination": get("report__destination", 0)}

    def _counts(self, scheduler: Outputs, engine: Outputs, send: Outputs, matcher: Outputs, put: Inputs) -> int:
        """Return what is counted in this cycle, a mask of counters."""
        at_once = matcher["verdict"] and matcher["placed"] and not matcher["user"]
        later = matcher["prepare__valid"] and engine["prepare__ready"] and not matcher["prepare__user"]
        counted = (
            scheduler["delivered"],
            engine["completed"],
            send["sent"],
            engine["received"],
            at_once or later,
            matcher["verdict"] and not matcher["placed"] and not matcher["lost"],
            put["put__valid"] and put["put__op"] == Op.REWIND,
            engine["stray"],
        )
        return sum(1 << place for place, strobe in enumerate(counted) if strobe)

    @property
    def resting(self) -> bool:
        """Whether an edge changes nothing but the time, as long as nothing comes in."""
        return all(unit.resting for unit in self.units.values())

    @property
    def quiet(self) -> bool:
        """Whether it rests, and no offer will end for want of an answer."""
        return self.resting and not (self.registers.settings[Register.TIMEOUT] and self.scheduler.expecting)

    def show(self, inputs: Inputs) -> Outputs:
        """Return this cycle's outputs."""
        self.shown = self.settle(inputs)
        outputs = {name: found[1] for name, found in self.shown.items()}
        return {
            "doorbell__ready": outputs["queue"]["doorbell__ready"],
            "control__read_data": outputs["registers"]["control__read_data"],
            "early": outputs["tracker"]["early"],
            "irq": outputs["log"]["irq"],
            "eject__ready": outputs["engine"]["eject__ready"],
            **{name: value for name, value in outputs["ports"].items() if name.startswith(MEMORY_OUT)},
            **{name: value for name, value in outputs["send"].items() if name.startswith("inject__")},
        }

    def edge(self, inputs: Inputs, outputs: Outputs) -> None:
        """Take the edge of a cycle with these inputs, which were shown last."""
        rst = inputs.get("rst", 0)
        for name, unit in self.units.items():
            given, shown = self.shown[name]
            if rst:
                given["rst"] = 1
            unit.edge(given, shown)
        if rst:
            self.clear()
            return
        self.enabled = self.shown["registers"][1]["enable"] or 0


MEMORY_OUT = ("read__", "write__")
"""How the ports of the memory begin."""


def _only(ports: Inputs | Outputs, names: tuple[str, ...]) -> dict[str, int]:
    """Return some ports; what is not compared is 0."""
    return {name: ports.get(name) or 0 for name in names}


def _of(prefix: str, ports: Inputs | Outputs, instead: str | None = None) -> dict[str, int]:
    """Return the ports of a stream, perhaps by another name; what is not compared is 0."""
    names = _stream(tuple(ports), prefix, prefix if instead is None else instead)
    return {new: ports[name] or 0 for name, new in names}


@functools.cache
def _stream(ports: tuple[str, ...], prefix: str, instead: str) -> tuple[tuple[str, str], ...]:
    """Return the ports of a stream among those of a unit, by their names and by those with another prefix."""
    return tuple((name, instead + name.removeprefix(prefix)) for name in ports if name.startswith(prefix))
