"""Processor of a node, as an interface sees it: it runs a program on the ports, step by step, and serves interrupts.

A step that rings a doorbell writes block and data, which takes no cycles, and offers the doorbell until it is taken; a
wait looks at FLAG once per cycle. Beside the program an interrupt is served through the registers.
"""

from __future__ import annotations

import enum
from collections import deque
from collections.abc import Mapping, Sequence
from typing import Any

from cubecast.golden.common.contract.control import Register as Control
from cubecast.golden.node.algorithms.programs import Step
from cubecast.golden.node.contract.block import COMPLETE, STARTED, STATUS_LOW, Instruction, Status, Word
from cubecast.golden.node.contract.registers import Interrupt, Register
from cubecast.tb.node.layout import WORD_BYTES, Layout, guard, words_of
from cubecast.tb.node.node_memory import NodeMemory

__all__ = ["Processor"]

ALL_REASONS = (1 << len(Interrupt)) - 1
"""All bits of the register IRQ_STATUS."""


class Serving(enum.Enum):
    """How far an interrupt is served; each but the first takes one cycle."""

    NO = 0
    """There is none."""
    CLEAR = 1
    """IRQ_STATUS is cleared: what comes from now on interrupts again."""
    EVENT = 2
    """EVENT is addressed."""
    VALUE = 3
    """EVENT comes, EVENT_VALUE is addressed."""
    POP = 4
    """EVENT_VALUE comes, the event is removed."""


class Processor:
    """One node's program, and what became of its steps.

    Parameters
    ----------
    program : sequence of Step
        The program.
    layout : Layout
        Where its blocks and buffers lie.
    memory : NodeMemory
        The memory that they lie in.
    """

    def __init__(self, program: Sequence[Step], layout: Layout, memory: NodeMemory) -> None:
        self.program, self.layout, self.memory = program, layout, memory
        self.at = 0
        self.left: int | None = None
        self.written = False
        self.posted: dict[int, int] = {}
        self.started: dict[int, int] = {}
        self.done: dict[int, int] = {}
        self.status: dict[int, Status] = {}
        self.addresses: dict[int, int] = {}
        self.releasing: deque[int] = deque()
        self.reads: list[dict[str, Any]] = []
        self.watched: deque[dict[str, Any]] = deque()
        self.cleared, self.early = -1, -1
        self.due: deque[dict[str, Any]] = deque()
        self.interrupts: list[dict[str, Any]] = []
        self.told: set[int] = set()
        self.serving, self.event = Serving.NO, 0
        self.kept: list[tuple[int, bytes, str]] = [
            (start, bytes(map(guard, range(start, end))), f"behind {name}") for start, end, name in layout.gaps
        ]

    @property
    def ended(self) -> bool:
        """Whether all steps are complete."""
        return self.at == len(self.program)

    @property
    def waits(self) -> bool:
        """Whether the next step waits for what has not come."""
        return not self.ended and self.program[self.at].do == "wait" and not self._come(self.program[self.at])

    @property
    def idle(self) -> bool:
        """Whether nothing happens here unless something comes."""
        return self.serving is Serving.NO and not self.watched and (self.ended or self.waits)

    def _completion(self, index: int) -> int:
        """Return the completion of a step that rang a doorbell."""
        if index in self.layout.slots:
            flag = self.memory.word(self.layout.slots[index].block + WORD_BYTES * Word.FLAG)
            return flag & COMPLETE
        return COMPLETE if index in self.done else 0

    def _come(self, step: Step) -> bool:
        """Return whether what a wait waits for has come."""
        least = STARTED if step.started else COMPLETE
        return all(self._completion(index) >= least for index in step.steps)

    def drive(self, cycle: int) -> dict[str, int]:
        """Return what the processor drives in this cycle."""
        shown = self._serve()
        if self.serving is Serving.CLEAR:
            self.cleared = cycle
        while not self.ended:
            step = self.program[self.at]
            if step.do == "compute":
                self.left = step.cycles if self.left is None else self.left
                if self.left:
                    self.left -= 1
                    break
                self.left = None
                self.at += 1
                continue
            if step.do == "wait":
                self.at += self._come(step)
            elif step.do == "read":
                shown |= self._read(step, cycle)
            elif step.do == "fault":
                shown |= self._cut(step)
            else:
                shown |= self._ring(step)
            break
        return shown

    def _ring(self, step: Step) -> dict[str, int]:
        """Return the doorbell of a step; before, its block and data are written."""
        instruction = Instruction[step.do.upper()]
        if not self.written:
            self.written = True
            if instruction is Instruction.RELEASE:
                receive = self.layout.slots[step.steps[0]]
                self.addresses[self.at] = self.memory.word(receive.block + WORD_BYTES * Word.BUFFER)
            else:
                self._write(step)
        return {"doorbell_valid": 1, "doorbell_instruction": instruction, "doorbell_address": self.addresses[self.at]}

    def _write(self, step: Step) -> None:
        """Write block and data of a step."""
        slot, memory = self.layout.slots[self.at], self.memory
        self.addresses[self.at] = slot.block
        for word, value in words_of(step, slot).items():
            memory.store(slot.block + WORD_BYTES * word, value.to_bytes(WORD_BYTES, "little"))
        user = slot.block + WORD_BYTES * Word.USER
        self._keep(user, WORD_BYTES, f"USER of {step.name}")
        if step.sends:
            data = step.content() if slot.buffer_bytes else b""
            memory.store(slot.buffer, data)
            self._keep(slot.buffer, len(data), f"data of {step.name}")

    def _keep(self, address: int, size: int, name: str) -> None:
        """Take note of bytes that stay as they are from now on."""
        self.kept.append((address, self.memory.load(address, size), name))

    def _read(self, step: Step, cycle: int) -> dict[str, int]:
        """Return the watched read of a step, and keep what it sees."""
        buffer = self.memory.word(self.layout.slots[step.steps[0]].block + WORD_BYTES * Word.BUFFER)
        address = buffer + step.offset & 0xFFFFFFFF
        data = self.memory.load(address, step.size).hex()
        read = {"index": self.at, "clock": cycle, "early": False, "data": data, "address": address}
        read["cleared"] = self.cleared
        self.reads.append(read)
        self.watched.append(read)
        self.at += 1
        return {"watch_valid": 1, "watch_address": address, "watch_size": step.size.bit_length() - 1}

    def _cut(self, step: Step) -> dict[str, int]:
        """Return the write of the router's fault vector, as soon as no interrupt is served."""
        if self.serving is not Serving.NO:
            return {}
        self.at += 1
        return {"control_address": Control.FAULT, "control_write": 1, "control_write_data": step.vector}

    def _serve(self) -> dict[str, int]:
        """Return the access to the registers in this cycle."""
        if self.serving is Serving.CLEAR:
            return {"control_address": Register.IRQ_STATUS, "control_write": 1, "control_write_data": ALL_REASONS}
        if self.serving is Serving.EVENT:
            return {"control_address": Register.EVENT}
        if self.serving is Serving.VALUE:
            return {"control_address": Register.EVENT_VALUE}
        if self.serving is Serving.POP:
            return {"control_address": Register.EVENT, "control_write": 1}
        return {}

    def take(self, cycle: int, outputs: Mapping[str, int]) -> None:
        """Take note of the outputs of this cycle."""
        if self.watched and self.watched[0]["clock"] < cycle:
            read = self.watched.popleft()
            read["early"] = bool(outputs["early"])
            if read["early"]:
                self._early(read)
        if self.written and outputs["doorbell_ready"]:
            self.posted[self.at] = cycle
            if self.program[self.at].do == "release":
                self.releasing.append(self.at)
            self.written = False
            self.at += 1
        self._served(cycle, outputs)

    def _early(self, read: dict[str, Any]) -> None:
        """Take note of an early read; the first one since IRQ_STATUS was cleared has an event."""
        if self.early < 0 or read["cleared"] > self.early:
            self.due.append(read)
        self.early = read["clock"]

    def _served(self, cycle: int, outputs: Mapping[str, int]) -> None:
        """Go on with an interrupt."""
        if self.serving is Serving.NO:
            self.serving = Serving.CLEAR if outputs["irq"] else Serving.NO
        elif self.serving is Serving.CLEAR:
            self.serving = Serving.EVENT
        elif self.serving is Serving.EVENT:
            self.serving = Serving.VALUE
        elif self.serving is Serving.VALUE:
            self.event = outputs["control_read_data"]
            self.serving = Serving.POP if self.event >> 31 else Serving.NO
        else:
            self._interrupted(cycle, outputs["control_read_data"])
            self.event, self.serving = 0, Serving.EVENT

    def _interrupted(self, cycle: int, value: int) -> None:
        """Take note of an event."""
        reason, status = Interrupt(self.event >> 24 & 0xF), Status(self.event >> 16 & 0xFF)
        found: dict[str, Any] = {"clock": cycle, "reason": reason.name}
        if reason is Interrupt.BAD_OPERAND:
            found |= {"name": self._name_of(value, status), "status": status.name}
        elif reason is Interrupt.SYSTEM_MESSAGE:
            found |= {"source": self.event & 0xFFFF, "type": value}
        elif reason is Interrupt.EARLY_READ:
            found["index"] = self._index_of(value)
        else:
            found |= {"status": status.name, "source": self.event & 0xFFFF, "value": value}
        self.interrupts.append(found)

    def _index_of(self, value: int) -> int | None:
        """Return the step of the oldest read with an event of an address; those before it were lost."""
        while self.due:
            read = self.due.popleft()
            if read["address"] == value:
                return int(read["index"])
        return None

    def _name_of(self, value: int, status: Status) -> str | None:
        """Return the name of the step whose doorbell was of an address; a release is known by its outcome."""
        if status is not Status.BAD_RELEASE:
            slot = self.layout.blocks.get(value)
            return None if slot is None else self.program[slot.index].name
        for index in self.done:
            due = index not in self.layout.slots and self.status[index] is status and index not in self.told
            if due and self.addresses[index] == value:
                self.told.add(index)
                return self.program[index].name
        return None

    def released(self, cycle: int, accepted: bool) -> None:
        """Take note of what became of the oldest release that nobody has answered."""
        index = self.releasing.popleft()
        self.done[index] = cycle
        self.status[index] = Status.OK if accepted else Status.BAD_RELEASE

    def flagged(self, cycle: int, address: int) -> int | None:
        """Take note of a word that was written at an address; return the step that is complete with it."""
        slot = self.layout.blocks.get(address - WORD_BYTES * Word.FLAG)
        if slot is None:
            return None
        flag, index = self.memory.word(address), slot.index
        if flag & COMPLETE == STARTED:
            self.started.setdefault(index, cycle)
        if flag & COMPLETE != COMPLETE or index in self.done:
            return None
        self.done[index], self.status[index] = cycle, Status(flag >> STATUS_LOW & 0xFF)
        return index

    def closed(self, index: int) -> None:
        """Take note that the hardware touches block and buffer of a step no more."""
        slot, name = self.layout.slots[index], self.program[index].name
        for address, size, what in (
            (slot.block, slot.block_bytes, "block"),
            (slot.buffer, slot.buffer_bytes, "buffer"),
        ):
            self._keep(address, size, f"the {what} of {name}, which is complete")
            self.memory.close(address, size, f"the {what} of {name}, read when it is complete")

    def touched(self) -> list[str]:
        """Return where bytes have changed that nobody may touch, or were read."""
        found = [f"{address:#x}, {name}" for address, name in self.memory.late[:1]]
        for address, data, name in self.kept:
            now = self.memory.load(address, len(data))
            if now != data:
                place = next(place for place, byte in enumerate(now) if byte != data[place])
                found.append(f"{address + place:#x}, {name}")
        return found
