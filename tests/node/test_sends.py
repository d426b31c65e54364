"""Sends that do not end well: what is told of each part."""

from collections import deque

import pytest

from cubecast.golden.node.contract.block import COMPLETE, Status, Word
from cubecast.golden.node.contract.config import NodeConfig
from cubecast.golden.node.contract.packet import Op
from cubecast.golden.node.contract.registers import Interrupt
from cubecast.golden.node.twins.send_scheduler import SendScheduler
from cubecast.golden.packet.contract.config import PacketConfig

CONFIG = NodeConfig(router=PacketConfig(dim=2), buffers=0)
UNIT = 1024
BLOCK = 0x1000


class Scheduler:
    """A scheduler whose memory answers in the next cycle, and whose parts and events are taken at once."""

    def __init__(self, config, timeout=0):
        self.unit, self.nodes, self.timeout, self.clock = SendScheduler(config), config.nodes, timeout, 0
        self.words, self.coming, self.acknowledged = {}, deque(), 0
        self.parts, self.events = [], []
        self.run(config.nodes + 1)

    def run(self, cycles=40, **told):
        """Go on for some cycles; what is told is told until it is taken."""
        for _ in range(cycles):
            served = {"served": 1, "word": self.words.get(self.coming.popleft(), 0)} if self.coming else {}
            ready = {f"{name}__ready": 1 for name in ("reader", "writer", "part", "event")}
            given = ready | {"timeout": self.timeout, "room": self.nodes - 1, "written": self.acknowledged} | served
            outputs = self.unit.step(given | told)
            if outputs["reader__valid"]:
                first = outputs["reader__address"]
                self.coming += range(first, first + outputs["reader__beats"] + 1)
            self.acknowledged = outputs["writer__valid"]
            if outputs["writer__valid"]:
                self.words[outputs["writer__address"]] = outputs["writer__data"]
            if outputs["part__valid"]:
                self.parts.append((outputs["part__destination"], outputs["part__ticket"]))
            if outputs["event__valid"]:
                fields = ("reason", "status", "source", "value")
                self.events.append(tuple(outputs[f"event__{name}"] for name in fields))
            told = {} if any(outputs[name] and told.get(name[:-5] + "valid") for name in READY) else told
            self.clock += 1

    def add(self, destination, reference=BLOCK):
        """Give it a message."""
        self.run(add__valid=1, add__destination=destination, add__reference=reference)

    def answer(self, source, op=Op.DONE, **fields):
        """Let a node answer the last offer made to it."""
        ticket = next(ticket for to, ticket in reversed(self.parts) if to == source)
        told = {"valid": 1, "source": source, "op": int(op), "ticket": ticket} | fields
        self.run(**{f"answer__{name}": value for name, value in told.items()})

    @property
    def flag(self):
        """The word FLAG of the block."""
        return self.words.get(BLOCK // 4 + Word.FLAG, 0)


READY = ("add__ready", "answer__ready", "report__ready")


NEIGHBOURS = (1, 2)
ENDS = {
    Status.OK: lambda scheduler, node: scheduler.answer(node),
    Status.DAMAGED: lambda scheduler, node: scheduler.answer(node, damaged=1),
    Status.UNDELIVERABLE: lambda scheduler, node: scheduler.run(report__valid=1, report__destination=node),
    Status.TIMEOUT: lambda scheduler, node: scheduler.run(3 * UNIT),
}


@pytest.mark.parametrize("second", ENDS)
@pytest.mark.parametrize("first", ENDS)
def test_each_part_is_told_with_its_own_status_and_neighbour(first, second):
    """The block has the status of the first that ended badly."""
    scheduler = Scheduler(CONFIG)
    scheduler.words[BLOCK // 4 + Word.STATE] = len(NEIGHBOURS)
    ends = list(zip(NEIGHBOURS, (first, second), strict=True))
    for place, (node, status) in enumerate(ends, 1):
        scheduler.timeout = int(status is Status.TIMEOUT)
        scheduler.add(node, BLOCK + place)
        ENDS[status](scheduler, node)
    events = Interrupt.__members__
    assert scheduler.events == [(events[end.name], end, node, BLOCK) for node, end in ends if end.name in events]
    assert scheduler.flag == COMPLETE | (first or second) << 8
