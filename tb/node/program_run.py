"""Programs on all nodes of a network: processors and memories around it, cycle by cycle, and what is told of them.

A network is what has the ports of a network of nodes, with an item for each node: RTL and golden network in lockstep,
or anything else that a test drives in the same way.
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Mapping, Sequence
from random import Random
from typing import Any

from cubecast.golden.common.algorithms.faults import fault_vector
from cubecast.golden.common.contract.control import Register as Control
from cubecast.golden.common.contract.units import DATA_BITS
from cubecast.golden.common.twins.ports import join, split
from cubecast.golden.node.algorithms.program_run import digest
from cubecast.golden.node.algorithms.programs import DOORBELLS, read_programs
from cubecast.golden.node.contract.block import COMPLETE, LENGTH_BITS, STARTED, TYPE_BITS, Status, Word
from cubecast.golden.node.contract.config import NodeConfig
from cubecast.golden.node.contract.registers import ADDRESS_BITS, Counter, Interrupt, Register
from cubecast.golden.packet.contract.reason import PacketReason
from cubecast.tb.node.follower import Follower, Message
from cubecast.tb.node.layout import FIRST, WORD_BYTES, Layout
from cubecast.tb.node.node_memory import NodeMemory
from cubecast.tb.node.processor import Processor

__all__ = ["INPUTS", "OUTPUTS", "SETUP_CYCLES", "TIMEOUT_CYCLES", "ProgramRun"]

INPUTS = {
    "doorbell_valid": 1,
    "doorbell_instruction": 3,
    "doorbell_address": 32,
    "read_ready": 1,
    "data_valid": 1,
    "data_word": 32,
    "data_error": 1,
    "write_ready": 1,
    "done": 1,
    "done_error": 1,
    "watch_valid": 1,
    "watch_address": 32,
    "watch_size": 2,
    "control_address": ADDRESS_BITS,
    "control_write": 1,
    "control_write_data": DATA_BITS,
}
"""Inputs of a node, with their bits."""

OUTPUTS = {
    "doorbell_ready": 1,
    "read_valid": 1,
    "read_address": 30,
    "read_beats": 4,
    "write_valid": 1,
    "write_address": 30,
    "write_data": 32,
    "write_strobe": 4,
    "early": 1,
    "irq": 1,
    "control_read_data": DATA_BITS,
}
"""Outputs of a node, with their bits."""

SETUP_CYCLES = 7
"""Cycles in which registers are written before the programs begin."""

PATIENCE = 200
"""Cycles without a move after which a run ends, besides those that a node may compute for itself."""

TIMEOUT_CYCLES = 1024
"""Cycles of a unit of the timeout."""

LONG = 20
"""How many times as long it is when the network says that something is under way in it."""

WITHOUT = (Status.NO_BUFFER,)
"""Statuses beside refused operands with which a receive has no buffer."""

Result = dict[str, Any]
Cycle = Generator[dict[str, int], Mapping[str, Any], None]


class ProgramRun:
    """The processors and the memories of all nodes.

    Parameters
    ----------
    random : Random
        Decides when memories stall.
    config : NodeConfig
        Parameters of the nodes.
    programs : object
        What is in a file of programs.
    latency : int
        Cycles of the memories.
    stall : float
        Part of the cycles in which they stall.
    timeout : int
        What the register of this name is set to.
    faults : sequence of int
        Faulty nodes: their neighbours cut the links to them before the programs begin.
    most : int
        Cycles after which the run ends even if something moves.
    first : int
        Byte address of the first byte of the memories.
    """

    def __init__(
        self,
        random: Random,
        config: NodeConfig,
        programs: object,
        *,
        latency: int = 1,
        stall: float = 0.0,
        timeout: int = 0,
        faults: Sequence[int] = (),
        most: int = 100_000,
        first: int = FIRST,
    ) -> None:
        self.config, self.most, self.timeout = config, most, timeout
        self.settings: Result = {
            "memory_latency": latency,
            "timeout": timeout,
            "stall": stall,
            "faults": sorted(faults),
        }
        self.vectors = [fault_vector(config.dim, node, frozenset(faults)) for node in range(config.nodes)]
        self.programs = read_programs(programs, config)
        self.layouts = [Layout(program, config, first) for program in self.programs]
        self.memories = [NodeMemory(layout.last, latency, stall, random, first) for layout in self.layouts]
        placed = zip(self.programs, self.layouts, self.memories, strict=True)
        self.processors = [Processor(*each) for each in placed]
        self.clock = self.moved = 0
        self.quiet = False
        self.follower = Follower(config.nodes, lambda: self.clock)
        self.stored: dict[tuple[int, int], Result] = {}
        self.fresh: list[tuple[int, int]] = []
        self.reports: list[Result] = []
        self.registers: dict[int, list[int]] = {}

    # Cycles.

    def cycles(self, at_rest: Callable[[], bool] = lambda: True) -> Cycle:
        """Yield the inputs that change in each cycle, and take the outputs.

        Parameters
        ----------
        at_rest : function
            Whether nothing is under way in the network; asked when nothing moves at its ports.
        """
        for register, values in self._setup().items():
            yield self._access(register, values)
        before = dict.fromkeys(INPUTS, 0)
        before |= {"control_address": -1, "control_write": -1, "control_write_data": -1}
        patience = PATIENCE + 2 * self.config.nodes + 8 * int(self.settings["memory_latency"])
        limit = LONG * patience + (TIMEOUT_CYCLES * (self.timeout + 2) if self.timeout else 0)
        for clock in range(self.most):
            self.clock = clock
            inputs = self._drive()
            change = {name: value for name, value in inputs.items() if value != before[name]}
            before = inputs
            self._take(inputs, (yield change))
            still = clock - self.moved
            if still > patience and (still > limit or at_rest()):
                self.quiet = True
                break
        else:
            self.quiet = self.moved < self.clock and at_rest()
        self.follower.close()
        self._look_at_completed()
        yield from self._read_registers()

    def _setup(self) -> dict[int, Sequence[int]]:
        """Return what is written to the registers of all nodes before the programs begin."""
        everyone = [1] * self.config.nodes
        return {
            Control.FAULT: self.vectors,
            Register.MEMORY_FIRST: [layout.first for layout in self.layouts],
            Register.MEMORY_LAST: [layout.last for layout in self.layouts],
            Register.BUFFERS: [layout.system for layout in self.layouts],
            Register.TIMEOUT: [self.timeout for _ in everyone],
            Register.IRQ_ENABLE: [(1 << len(Interrupt)) - 1 for _ in everyone],
            Register.ENABLE: everyone,
        }

    def _access(self, register: int, values: Sequence[int] | None = None) -> dict[str, int]:
        """Return the access to a register of all nodes; without values it is read."""
        nodes = self.config.nodes
        return {
            "control_address": join([register] * nodes, ADDRESS_BITS),
            "control_write": (1 << nodes) - 1 if values else 0,
            "control_write_data": join(values or [], DATA_BITS),
        }

    def _drive(self) -> dict[str, int]:
        """Return all inputs of this cycle."""
        self._look_at_completed()
        found = dict.fromkeys(INPUTS, 0)
        for node, (processor, memory) in enumerate(zip(self.processors, self.memories, strict=True)):
            shown = processor.drive(self.clock)
            answers, written = memory.drive()
            for name, value in (*shown.items(), *answers.items()):
                found[name] |= value << INPUTS[name] * node
            index = None if written is None else processor.flagged(self.clock, written)
            if index is not None:
                self.fresh.append((node, index))
        return found

    def _take(self, inputs: Mapping[str, int], outputs: Mapping[str, Any]) -> None:
        """Take the outputs of this cycle."""
        nodes = self.config.nodes
        given = {name: split(outputs[name], width, nodes) for name, width in OUTPUTS.items()}
        moves = any(inputs[name] for name in ("doorbell_valid", "watch_valid", "control_address", "data_valid", "done"))
        wire = "line" if self.config.router.link == "serial" else "valid"
        moves |= any(outputs.get(f"link_{j}_{wire}") for j in range(self.config.dim))
        for node, (processor, memory) in enumerate(zip(self.processors, self.memories, strict=True)):
            own = {name: values[node] for name, values in given.items()}
            moves |= memory.take(own)
            processor.take(self.clock, own)
            moves |= not processor.idle
        if outputs.get("report_valid"):
            self._reported(outputs)
        if moves:
            self.moved = self.clock + 1

    def _reported(self, outputs: Mapping[str, Any]) -> None:
        """Keep the reports of this cycle."""
        config = self.config
        widths = {"reason": 4, "destination": config.dim, "port": 4, "lane": 4}
        for node in range(config.nodes):
            if outputs["report_valid"] >> node & 1:
                fields = {
                    name: split(outputs[f"report_{name}"], width, config.nodes)[node] for name, width in widths.items()
                }
                self.reports.append({"node": node, **fields, "reason": PacketReason(fields["reason"]).name})

    def _look_at_completed(self) -> None:
        """Look at blocks and their buffers in the cycle after FLAG said 3."""
        for node, index in self.fresh:
            self._completed(node, index)
        self.fresh = []

    def _completed(self, node: int, index: int) -> None:
        """Keep what a complete step's block and buffer say."""
        processor, memory = self.processors[node], self.memories[node]
        block = self.layouts[node].slots[index].block
        step = self.programs[node][index]
        if step.do == "receive" and block in self.follower.matched[node]:
            length = memory.word(block + WORD_BYTES * Word.LENGTH) & (1 << LENGTH_BITS) - 1
            room = self.config.buffer_bytes if step.room is None else step.room
            buffer = memory.word(block + WORD_BYTES * Word.BUFFER)
            self.stored[node, index] = {
                "source": memory.word(block + WORD_BYTES * Word.PARTNER) & (1 << TYPE_BITS) - 1,
                "type": memory.word(block + WORD_BYTES * Word.TYPE) & (1 << TYPE_BITS) - 1,
                "length": length,
                "digest": digest(memory.load(buffer, min(length, room))),
            }
        processor.closed(index)

    def _read_registers(self) -> Cycle:
        """Read registers of all nodes at once, one per cycle; nothing else is driven any more."""
        dims = range(self.config.dim)
        addresses = [*(row + j for row in (Control.MESSAGES_OUT, Control.WORDS_OUT, Control.WAITED) for j in dims)]
        addresses += [Register.COUNTER + counter for counter in Counter]
        addresses += [Register.FREE, Register.LEAST_FREE, Register.VISITED, Register.EVENTS_LOST]
        off, before = dict.fromkeys(INPUTS, 0), None
        for address in (*addresses, 0):
            outputs = yield off | self._access(address)
            off = {}
            if before is not None:
                self.registers[before] = split(outputs["control_read_data"], DATA_BITS, self.config.nodes)
            before = address

    # What is told.

    def result(self) -> Result:
        """Return everything, but whether the twin agrees."""
        config = self.config
        touched = [f"node {node}: {each}" for node, own in enumerate(self.processors) for each in own.touched()]
        return {
            "config": config.to_json() | self.settings,
            "quiet": self.quiet,
            "clocks": self.moved if self.quiet else self.clock + 1,
            "guards": "; ".join(touched) or "intact",
            "links": self._links(),
            "errors": self.reports,
            "nodes": [self._node(node) for node in range(config.nodes)],
        }

    def _register(self, register: int, node: int) -> int:
        """Return what was read at the end; 0 if the run has failed before."""
        return self.registers[register][node] if register in self.registers else 0

    def _links(self) -> list[Result]:
        """Return what went over each link."""
        return [
            {
                "from": node,
                "to": node ^ 1 << j,
                "words": self._register(Control.WORDS_OUT + j, node),
                "packets": self._register(Control.MESSAGES_OUT + j, node),
                "waited": self._register(Control.WAITED + j, node),
            }
            for node in range(self.config.nodes)
            for j in range(self.config.dim)
        ]

    def _told(self, message: Message) -> list[Any]:
        """Return how a result names a message."""
        slot = self.layouts[message.source].buffers[message.buffer]
        return [message.source, self.programs[message.source][slot.index].name]

    def _node(self, node: int) -> Result:
        """Return what is told of a node."""
        processor, program = self.processors[node], self.programs[node]
        counters = {counter.name.lower(): self._register(Register.COUNTER + counter, node) for counter in Counter}
        for register in (Register.VISITED, Register.EVENTS_LOST):
            counters[register.name.lower()] = self._register(register, node)
        return {
            "node": node,
            "at": processor.at,
            "buffers": {
                "free": self._register(Register.FREE, node),
                "lent": self._lent(node),
                "least_free": self._register(Register.LEAST_FREE, node),
            },
            "counters": counters,
            "blocks": [self._block(node, index) for index, step in enumerate(program) if step.do in DOORBELLS],
            "unclaimed": self._unclaimed(node),
            "reads": [{key: read[key] for key in ("index", "clock", "early", "data")} for read in processor.reads],
            "interrupts": processor.interrupts,
        }

    def _lent(self, node: int) -> int:
        """Return how many receives without a buffer of their own have one of the system's."""
        processor, program = self.processors[node], self.programs[node]
        wanting = [
            index for index in processor.posted if program[index].do == "receive" and program[index].room is None
        ]
        statuses = [processor.status.get(index, Status.OK) for index in wanting]
        having = sum(status not in WITHOUT and status < Status.DISABLED for status in statuses)
        released = (index for index in processor.done if program[index].do == "release")
        return having - sum(processor.status[index] is Status.OK for index in released)

    def _block(self, node: int, index: int) -> Result:
        """Return what is told of a step that rings a doorbell."""
        processor, step = self.processors[node], self.programs[node][index]
        done, started = processor.done.get(index), processor.started.get(index)
        found: Result = {
            "name": step.name,
            "flag": COMPLETE if done is not None else STARTED if started is not None else 0,
            "status": processor.status.get(index, Status.OK).name,
            "posted": processor.posted.get(index),
            "started": started,
            "done": done,
        }
        if step.do != "receive":
            return found
        found["buffer"] = "system" if step.room is None else "user"
        matched = self.follower.matched[node].get(self.layouts[node].slots[index].block)
        if matched is not None:
            found |= {"matched": matched[0], "message": self._told(matched[1]), **self.stored.get((node, index), {})}
        return found

    def _unclaimed(self, node: int) -> list[Result]:
        """Return the messages in system buffers that are complete, oldest first."""
        found = []
        for entry in self.follower.unclaimed[node]:
            if entry.number in self.follower.complete[node]:
                source, kind, length = entry.fields
                address = self.layouts[node].system + entry.number * self.config.buffer_bytes
                told: Result = {"message": self._told(entry.message), "source": source, "type": kind, "length": length}
                found.append(told | {"digest": digest(self.memories[node].load(address, length))})
        return found
