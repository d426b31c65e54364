"""Programs of nodes on the message-level model: the result that hardware gives too, with actions in place of cycles."""

from __future__ import annotations

import hashlib
import random
from collections.abc import Sequence
from typing import Any

from cubecast.golden.node.algorithms.programs import DOORBELLS, Step, refusal
from cubecast.golden.node.algorithms.protocol import ProtocolModel
from cubecast.golden.node.algorithms.protocol_state import (
    ANY,
    ANY_SYSTEM,
    SYSTEM,
    Instruction,
    Limits,
    Message,
    Receive,
    Release,
    Send,
    State,
    Wait,
)
from cubecast.golden.node.contract.block import ANY_BIT, TYPE_BITS, Status
from cubecast.golden.node.contract.config import NodeConfig

__all__ = ["digest", "run_programs"]

Result = dict[str, Any]


def digest(data: bytes) -> str:
    """Return what stands for some bytes in a result."""
    return hashlib.sha256(data).hexdigest()[:16]


def instruction(step: Step, node: int, config: NodeConfig) -> Instruction:
    """Return a step as the model has it; what is refused for its operands does nothing."""
    if step.do == "wait":
        return Wait(step.steps, step.started)
    if step.do == "release":
        return Release(step.steps[0])
    if step.do in ("compute", "read", "fault") or refusal(step, node, config) is not None:
        return Wait()
    if step.sends:
        return Send(step.to, step.type, step.length, step.do == "broadcast")
    kind = step.type & (1 << TYPE_BITS) - 1
    if step.type >> ANY_BIT:
        kind = ANY_SYSTEM if kind >= SYSTEM else ANY
    return Receive(ANY if step.partner >> ANY_BIT else step.partner, kind, step.room)


class Record:
    """A run of programs, and when what happened.

    Parameters
    ----------
    programs : sequence
        The program of every node.
    config : NodeConfig
        Parameters of the nodes.
    """

    def __init__(self, programs: Sequence[Sequence[Step]], config: NodeConfig) -> None:
        self.programs, self.config = programs, config
        own = [[instruction(step, node, config) for step in program] for node, program in enumerate(programs)]
        self.model = ProtocolModel(own, Limits.of(config))
        self.time = 0
        self.posted: dict[tuple[int, int], int] = {}
        self.started: dict[tuple[int, int], int] = {}
        self.done: dict[tuple[int, int], int] = {}
        self.matched: dict[tuple[int, int], int] = {}
        self.arrived: dict[tuple[int, Message], int] = {}
        self.least = [config.buffers] * config.nodes
        self.reads: dict[tuple[int, int], Result] = {}

    def run(self, seed: int) -> State:
        """Run to the end in random order, and return the last state."""
        generator, state = random.Random(seed), self.model.start()
        while actions := self.model.actions(state):
            action = generator.choice(actions)
            self.model.take(state, action)
            self.time += 1
            self._note(state)
            if action.kind == "step":
                self._read(state, action.place[0], state.steps[action.place[0]] - 1)
        return state

    def _note(self, state: State) -> None:
        """Note what is new."""
        for node, program in enumerate(self.programs):
            receiver = state.receivers[node]
            self.least[node] = min(self.least[node], receiver.free)
            for _, step in receiver.taken:
                self.matched.setdefault((node, step), self.time)
            for message in receiver.stored:
                self.arrived.setdefault((node, message), self.time)
            for step in range(min(state.steps[node], len(program))):
                self.posted.setdefault((node, step), self.time)
                flag = self.model.completion(state, node, step)
                if flag == 1:
                    self.started.setdefault((node, step), self.time)
                if flag == 3:
                    self.done.setdefault((node, step), self.time)

    def content(self, message: Message) -> bytes:
        """Return the bytes of a message."""
        return self.programs[message.source][message.step].content()

    def _read(self, state: State, node: int, index: int) -> None:
        """Note what a read sees: all of the message, or that it is not there yet."""
        step = self.programs[node][index]
        if step.do != "read":
            return
        message = state.receivers[node].match(step.steps[0])
        early = message is not None and message not in state.receivers[node].stored
        data = b"" if early or message is None else self.content(message)[step.offset : step.offset + step.size]
        self.reads[node, index] = {
            "index": index,
            "clock": self.time,
            "early": early,
            "data": data.ljust(step.size, b"\0").hex(),
        }

    def status(self, state: State, node: int, index: int) -> Status:
        """Return how a step has ended, or OK."""
        step, receiver = self.programs[node][index], state.receivers[node]
        refused = refusal(step, node, self.config)
        if refused is not None:
            return refused
        if index in receiver.wrong:
            return Status.BAD_RELEASE
        if index in receiver.refused:
            return Status.NO_BUFFER
        message = receiver.match(index) if step.do == "receive" else None
        room = self.config.buffer_bytes if step.room is None else step.room
        return Status.TRUNCATED if message in receiver.stored and message.length > room else Status.OK

    def block(self, state: State, node: int, index: int) -> Result:
        """Return what is told of a step that rings a doorbell."""
        step, receiver, place = self.programs[node][index], state.receivers[node], (node, index)
        flag = self.model.completion(state, node, index)
        found: Result = {
            "name": step.name,
            "flag": flag,
            "status": self.status(state, node, index).name if flag == 3 else Status.OK.name,
            "posted": self.posted.get(place),
            "started": self.started.get(place),
            "done": self.done.get(place),
        }
        if step.do != "receive":
            return found
        found["buffer"] = "system" if step.room is None else "user"
        message = receiver.match(index)
        if message is not None:
            found["matched"] = self.matched[place]
            found["message"] = [message.source, self.programs[message.source][message.step].name]
            if flag == 3:
                room = self.config.buffer_bytes if step.room is None else step.room
                found |= {"source": message.source, "type": message.type, "length": message.length}
                found["digest"] = digest(self.content(message)[:room])
        return found

    def interrupts(self, state: State, node: int) -> list[Result]:
        """Return the interrupts of a node."""
        found: list[Result] = []
        for index, step in enumerate(self.programs[node]):
            status = self.status(state, node, index)
            if (node, index) in self.done and step.do in DOORBELLS and status not in (Status.OK, Status.TRUNCATED):
                told = {"name": step.name, "status": status.name}
                found.append({"clock": self.done[node, index], "reason": "BAD_OPERAND", **told})
        for (receiver, message), clock in self.arrived.items():
            if receiver == node and message.type >= SYSTEM:
                envelope = {"source": message.source, "type": message.type}
                found.append({"clock": clock, "reason": "SYSTEM_MESSAGE", **envelope})
        early = [read for (reader, _), read in sorted(self.reads.items()) if reader == node and read["early"]]
        found += [{"clock": read["clock"], "reason": "EARLY_READ", "index": read["index"]} for read in early[:1]]
        return sorted(found, key=lambda entry: entry["clock"])

    def node(self, state: State, node: int) -> Result:
        """Return what is told of a node."""
        receiver, program = state.receivers[node], self.programs[node]
        unclaimed = [
            {
                "message": [message.source, self.programs[message.source][message.step].name],
                "source": message.source,
                "type": message.type,
                "length": message.length,
                "digest": digest(self.content(message)),
            }
            for message in receiver.unclaimed
        ]
        return {
            "node": node,
            "at": state.steps[node],
            "buffers": {"free": receiver.free, "lent": len(receiver.lent), "least_free": self.least[node]},
            "counters": {},
            "blocks": [self.block(state, node, index) for index, step in enumerate(program) if step.do in DOORBELLS],
            "unclaimed": unclaimed,
            "reads": [self.reads[place] for place in sorted(self.reads) if place[0] == node],
            "interrupts": self.interrupts(state, node),
        }


def run_programs(programs: Sequence[Sequence[Step]], config: NodeConfig, seed: int = 0) -> Result:
    """Return the result of a run of programs in some random order.

    Parameters
    ----------
    programs : sequence
        The program of every node.
    config : NodeConfig
        Parameters of the nodes.
    seed : int
        Seed of the order of actions.
    """
    record = Record(programs, config)
    state = record.run(seed)
    return {
        "config": config.to_json(),
        "golden": "match",
        "quiet": True,
        "clocks": record.time,
        "guards": "intact",
        "links": [],
        "errors": [],
        "nodes": [record.node(state, node) for node in range(config.nodes)],
    }
