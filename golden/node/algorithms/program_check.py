"""What must be true of the result of a run of programs, whatever the hardware does: a judge that knows the rules alone.

It knows the programs, the parameters and the result; neither the protocol nor a model. Times are in cycles.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

from cubecast.golden.node.algorithms.program_run import digest
from cubecast.golden.node.algorithms.programs import DOORBELLS, Step, refusal
from cubecast.golden.node.contract.block import ANY_BIT, COMPLETE, STARTED, SYSTEM_BIT, TYPE_BITS, Status
from cubecast.golden.node.contract.config import NodeConfig

__all__ = ["judge"]

Result = dict[str, Any]

LOST = (Status.DAMAGED.name, Status.TIMEOUT.name, Status.UNDELIVERABLE.name)
"""Statuses of sends whose packets, or the answers to them, may have been lost."""

LATE = 1 << 62
"""In place of a time that has not come."""


class Sent(NamedTuple):
    """A message, by the node and the step that sends it."""

    source: int
    place: int
    step: Step

    @property
    def system(self) -> bool:
        """Whether its type is reserved for the system."""
        return bool(self.step.type >> SYSTEM_BIT)

    @property
    def broadcast(self) -> bool:
        """Whether it is a broadcast."""
        return self.step.do == "broadcast"


def judge(programs: Sequence[Sequence[Step]], config: NodeConfig, result: Result) -> list[str]:
    """Return what is wrong with a result, a line for each; nothing: it keeps all rules.

    Parameters
    ----------
    programs : sequence
        The program of every node.
    config : NodeConfig
        Parameters of the nodes.
    result : dict
        What a run gave.
    """
    found = [
        f"{key} is {result.get(key)!r}"
        for key, right in (("golden", "match"), ("guards", "intact"))
        if result.get(key) != right
    ]
    nodes = result["nodes"]
    if [entry["node"] for entry in nodes] != [*range(config.nodes)]:
        return [*found, "nodes are not all nodes in order"]
    for node, program in enumerate(programs):
        names = [step.name for step in program if step.do in DOORBELLS]
        if [block["name"] for block in nodes[node]["blocks"]] != names:
            return [*found, f"node {node}: blocks are not those of the program"]
    return found + Judge(programs, config, result).all()


class Judge:
    """A result beside its programs.

    Parameters
    ----------
    programs, config, result
        As for :func:`judge`.
    """

    def __init__(self, programs: Sequence[Sequence[Step]], config: NodeConfig, result: Result) -> None:
        self.programs, self.config = programs, config
        self.nodes, self.quiet = result["nodes"], result["quiet"]
        # Where links fail packets are lost: messages may end badly or stay half stored, and receives may wait.
        self.cut = bool(result["config"].get("faults")) or any(step.vector for program in programs for step in program)
        self.blocks: dict[tuple[int, int], Result] = {}
        self.sent: dict[tuple[int, str], Sent] = {}
        for node, program in enumerate(programs):
            doorbells = (index for index, step in enumerate(program) if step.do in DOORBELLS)
            for index, block in zip(doorbells, self.nodes[node]["blocks"], strict=True):
                self.blocks[node, index] = block
                step = program[index]
                if step.sends and refusal(step, node, config) is None:
                    self.sent[node, step.name] = Sent(node, index, step)
        # Where a message is: the receive that has it, or None for the list of unclaimed ones.
        self.places: dict[tuple[int, Sent], int | None] = {}

    def all(self) -> list[str]:
        """Return what is wrong."""
        found = [*self.statuses(), *self.programs_go_on(), *self.matches(), *self.order(), *self.reads()]
        if self.quiet and not self.cut:
            found += [*self.progress(), *self.flags(), *self.buffers(), *self.interrupts()]
        elif self.quiet:
            found += [*self.flags_told(), *self.buffers(), *self.interrupts()]
        return found

    # What is told of one step.

    def statuses(self) -> Iterator[str]:
        """Yield flags and statuses that do not follow from operands and times that contradict each other."""
        for (node, index), block in self.blocks.items():
            step, name = self.programs[node][index], f"node {node}, {block['name']}"
            times = [block[key] for key in ("posted", "started", "done") if block[key] is not None]
            if times != sorted(times) or (block["posted"] is None and times):
                yield f"{name}: posted, started and done are {times}"
            flag = COMPLETE if block["done"] is not None else STARTED if block["started"] is not None else 0
            if block["flag"] != flag:
                yield f"{name}: flag {block['flag']} where {flag} is due"
            if flag == COMPLETE and block["status"] not in self._allowed(node, index):
                yield f"{name}: status {block['status']}, not {' or '.join(sorted(self._allowed(node, index)))}"
            if step.do == "receive" and block["buffer"] != ("system" if step.room is None else "user"):
                yield f"{name}: buffer {block['buffer']}"

    def _allowed(self, node: int, index: int) -> set[str]:
        """Return the statuses that a step may end with."""
        step = self.programs[node][index]
        refused = refusal(step, node, self.config)
        if refused is not None:
            return {refused.name}
        if step.do == "release":
            return {(Status.OK if self._is_lent(node, index) else Status.BAD_RELEASE).name}
        lost = {Status.DAMAGED.name} if self.cut else set()
        if step.do != "receive":
            return {Status.OK.name} | ({*LOST} if self.cut else set())
        block = self.blocks[node, index]
        if "message" not in block:
            return {Status.NO_BUFFER.name} if step.room is None else set()
        message = self.sent.get(tuple(block["message"]))
        longer = message is not None and message.step.length > self._room(step)
        return {(Status.TRUNCATED if longer else Status.OK).name} | lost

    def _room(self, step: Step) -> int:
        """Return how many bytes a receive has room for."""
        return self.config.buffer_bytes if step.room is None else step.room

    def _lends(self, node: int, index: int) -> bool:
        """Return whether a step is a receive that has, or had, a system buffer."""
        step, block = self.programs[node][index], self.blocks.get((node, index))
        if step.do != "receive" or step.room is not None or block is None or block["posted"] is None:
            return False
        refused = refusal(step, node, self.config) is not None
        return not refused and block["status"] != Status.NO_BUFFER.name

    def _is_lent(self, node: int, index: int) -> bool:
        """Return whether a release is of a buffer that is lent then: the first of that receive."""
        receive = self.programs[node][index].steps[0]
        before = [step for step in self.programs[node][:index] if step.do == "release" and step.steps[0] == receive]
        return self._lends(node, receive) and not before

    def programs_go_on(self) -> Iterator[str]:
        """Yield programs that have passed a wait too early, or that stand where nothing is to be waited for."""
        for node, program in enumerate(self.programs):
            at, earliest = self.nodes[node]["at"], -1
            for index, step in enumerate(program):
                block = self.blocks.get((node, index))
                if block is not None:
                    posted = block["posted"]
                    if (posted is not None) != (index < at):
                        yield f"node {node}, {step.name}: posted {posted}, and the program is at {at}"
                    elif posted is not None and posted <= earliest:
                        yield f"node {node}, {step.name}: posted {posted}, before what it comes after ({earliest})"
                    earliest = max(earliest, posted or 0)
                if step.do == "wait":
                    key = ("started", "done") if step.started else ("done",)
                    ends = [min(self._time(node, other, each) for each in key) for other in step.steps]
                    if index < at:
                        earliest = max(earliest, *ends)
                        if max(ends) == LATE:
                            yield f"node {node}: step {index} waits for what has not come, and the program is at {at}"
                    elif index == at and self.quiet and max(ends) < LATE:
                        yield f"node {node}: step {index} waits for what has come"
            if self.quiet and at < len(program) and program[at].do != "wait":
                yield f"node {node}: quiet, and the program stands at step {at}, which is no wait"

    def _time(self, node: int, index: int, key: str) -> int:
        """Return when something happened to a step."""
        time = self.blocks[node, index].get(key)
        return LATE if time is None else int(time)

    # What is told of messages.

    def fits(self, node: int, index: int, message: Sent) -> bool:
        """Return whether a receive fits a message."""
        step, kind = self.programs[node][index], message.step.type
        if not step.partner >> ANY_BIT and step.partner != message.source:
            return False
        low = SYSTEM_BIT if step.type >> ANY_BIT else 0
        return (step.type & (1 << TYPE_BITS) - 1) >> low == kind >> low

    def matches(self) -> Iterator[str]:
        """Yield messages in receives that they do not fit, in two places, before they were sent, or told wrongly."""
        for (node, index), block in self.blocks.items():
            if "message" in block:
                name = f"node {node}, {block['name']}"
                message = self.sent.get(tuple(block["message"]))
                if message is None or node not in message.step.to or not self.fits(node, index, message):
                    yield f"{name}: has {block['message']}, which does not fit it"
                    continue
                yield from self._put(node, message, index)
                sent, posted = self._time(message.source, message.place, "posted"), self._time(node, index, "posted")
                if block["matched"] < max(sent, posted) or block["matched"] > self._time(node, index, "done"):
                    yield f"{name}: matched {block['matched']}, posted {posted}, done {block['done']}, sent {sent}"
                if block["flag"] == COMPLETE and (block["status"] != Status.DAMAGED.name or not self.cut):
                    yield from self._told(name, block, message, self._room(self.programs[node][index]))
        for node, entry in enumerate(self.nodes):
            for place, told in enumerate(entry["unclaimed"]):
                message = self.sent.get(tuple(told["message"]))
                if message is None or node not in message.step.to:
                    yield f"node {node}, unclaimed {place}: {told['message']} was not sent here"
                    continue
                yield from self._put(node, message, None)
                if self.quiet:
                    yield from self._told(f"node {node}, unclaimed {place}", told, message, self.config.buffer_bytes)
                if message.step.length > self.config.buffer_bytes:
                    yield f"node {node}, unclaimed {place}: {told['message']} is longer than a buffer"

    def _put(self, node: int, message: Sent, index: int | None) -> Iterator[str]:
        """Note where a message is; yield it if it is somewhere else already."""
        if (node, message) in self.places:
            yield f"node {node}: {message.step.name} of node {message.source} is there twice"
        self.places[node, message] = index

    def _told(self, name: str, told: Result, message: Sent, room: int) -> Iterator[str]:
        """Yield what is said wrongly of a message."""
        step = message.step
        right: Result = {"source": message.source, "type": step.type, "length": step.length}
        # Of an unclaimed message it is not told whether it is damaged.
        if not self.cut or told.get("status") in (Status.OK.name, Status.TRUNCATED.name):
            right["digest"] = digest(step.content()[:room])
        for key, value in right.items():
            if told.get(key) != value:
                yield f"{name}: {key} {told.get(key)!r}, not {value!r}"

    def arriving(self, node: int) -> list[Sent]:
        """Return the messages that were sent to a node."""
        return [
            message
            for message in self.sent.values()
            if node in message.step.to and self._time(message.source, message.place, "posted") < LATE
        ]

    def _matched(self, node: int, message: Sent) -> int:
        """Return when a message was matched."""
        index = self.places.get((node, message))
        return LATE if index is None else self._time(node, index, "matched")

    def order(self) -> Iterator[str]:
        """Yield matches that break the order of messages of a stream (O1), or that of receives (O2)."""
        for (node, message), index in self.places.items():
            if index is None:
                continue
            time, name = self._matched(node, message), f"node {node}, {self.programs[node][index].name}"
            for other in self.arriving(node):
                stream = other.source == message.source and other.broadcast == message.broadcast
                older = stream and other.place < message.place and self.fits(node, index, other)
                if older and self._matched(node, other) > time and not self._given_up(other):
                    yield f"{name}: has {message.step.name}, and {other.step.name} was sent before (O1)"
            for earlier in range(index):
                if self._waits(node, earlier, time) and self.fits(node, earlier, message):
                    yield f"{name}: has {message.step.name}, and {self.programs[node][earlier].name} is older (O2)"

    def _given_up(self, message: Sent) -> bool:
        """Return whether a source has an end of a message that does not say whether it is stored."""
        return self.cut and self.blocks[message.source, message.place]["status"] in LOST

    def _waits(self, node: int, index: int, time: int) -> bool:
        """Return whether a step is a receive that is posted and has no message at some time."""
        block = self.blocks.get((node, index))
        if block is None or self.programs[node][index].do != "receive" or self._time(node, index, "posted") > time:
            return False
        if "message" in block:
            return self._time(node, index, "matched") > time
        return self._time(node, index, "done") > time

    # What must be true when nothing moves any more.

    def _complete(self, node: int, message: Sent) -> bool:
        """Return whether a message is stored at a node."""
        if (node, message) not in self.places:
            return False
        index = self.places[node, message]
        return index is None or self.blocks[node, index]["flag"] == COMPLETE

    def progress(self) -> Iterator[str]:
        """Yield receives and messages that are apart (O3), and messages that wait without a reason."""
        for node, entry in enumerate(self.nodes):
            receives = [index for index in range(len(self.programs[node])) if self._waits(node, index, LATE - 1)]
            arriving = self.arriving(node)
            for message in arriving:
                name = f"{message.step.name} of node {message.source}"
                place = self.places.get((node, message), -1)
                if place is not None and place >= 0:
                    if not self._complete(node, message):
                        yield f"node {node}, {self.programs[node][place].name}: {name} never comes"
                    continue
                before = [
                    other
                    for other in arriving
                    if other.source == message.source
                    and other.broadcast == message.broadcast
                    and other.place < message.place
                ]
                if message.broadcast:
                    blocked = any(self.blocks[other.source, other.place]["flag"] != COMPLETE for other in before)
                else:
                    blocked = any((node, other) not in self.places for other in before)
                apart = [index for index in receives if self.fits(node, index, message)]
                if apart and not (message.broadcast and blocked and place == -1):
                    yield f"node {node}, {self.programs[node][apart[0]].name}: apart from {name} (O3)"
                free = entry["buffers"]["free"] - (0 if message.system else self.config.reserved)
                if place == -1 and not blocked and free > 0 and message.step.length <= self.config.buffer_bytes:
                    yield f"node {node}: {name} waits, and a buffer is free"

    def flags(self) -> Iterator[str]:
        """Yield messages whose flag does not say whether they are stored everywhere."""
        for message in self.sent.values():
            block = self.blocks[message.source, message.place]
            stored = all(self._complete(node, message) for node in message.step.to)
            if block["posted"] is not None and (block["flag"] == COMPLETE) != stored:
                yield f"node {message.source}, {message.step.name}: flag {block['flag']}, stored everywhere: {stored}"

    def flags_told(self) -> Iterator[str]:
        """Yield messages that their source says are stored everywhere, and which are not."""
        for message in self.sent.values():
            block = self.blocks[message.source, message.place]
            missing = [node for node in message.step.to if not self._complete(node, message)]
            if block["flag"] == COMPLETE and block["status"] == Status.OK.name and missing:
                yield f"node {message.source}, {message.step.name}: OK, and not stored at {missing}"

    def buffers(self) -> Iterator[str]:
        """Yield pools that have lost buffers, or that have too many."""
        for node, entry in enumerate(self.nodes):
            buffers = entry["buffers"]
            released = {
                step.steps[0]
                for index, step in enumerate(self.programs[node])
                if step.do == "release" and self._time(node, index, "posted") < LATE
            }
            lent = [
                index for index in range(len(self.programs[node])) if self._lends(node, index) and index not in released
            ]
            if buffers["lent"] != len(lent):
                yield f"node {node}: {buffers['lent']} buffers are lent where {len(lent)} are due"
            total = buffers["free"] + buffers["lent"] + len(entry["unclaimed"])
            # Buffers of messages that will never be whole are in use still.
            lost = self.cut and total < self.config.buffers
            if (total != self.config.buffers and not lost) or not 0 <= buffers["least_free"] <= buffers["free"]:
                yield f"node {node}: buffers {buffers}, unclaimed {len(entry['unclaimed'])}, of {self.config.buffers}"

    def interrupts(self) -> Iterator[str]:
        """Yield interrupts that are not due, and those that are missing."""
        for node, entry in enumerate(self.nodes):
            due: Counter[tuple[str, Any, Any]] = Counter()
            for (owner, _), block in self.blocks.items():
                if owner == node and block["flag"] == COMPLETE and block["status"] not in ("OK", "TRUNCATED", *LOST):
                    due["BAD_OPERAND", block["name"], block["status"]] += 1
            for message in self.arriving(node):
                if message.system and self._complete(node, message):
                    due["SYSTEM_MESSAGE", message.source, message.step.type] += 1
            told: Counter[tuple[str, Any, Any]] = Counter()
            early = {read["index"] for read in entry["reads"] if read["early"]}
            seen = []
            for interrupt in entry["interrupts"]:
                reason = interrupt["reason"]
                if reason == "EARLY_READ":
                    seen.append(interrupt["index"])
                elif not self.cut or reason not in LOST:
                    keys = ("name", "status") if reason == "BAD_OPERAND" else ("source", "type")
                    told[reason, interrupt.get(keys[0]), interrupt.get(keys[1])] += 1
            if told != due:
                more, less = sorted((told - due).elements(), key=str), sorted((due - told).elements(), key=str)
                yield f"node {node}: interrupts {more} too many, {less} missing"
            if not set(seen) <= early or bool(seen) != bool(early) or len(seen) != len(set(seen)):
                yield f"node {node}: EARLY_READ for steps {seen}, early reads are {sorted(early)}"

    # What is told of reads.

    def reads(self) -> Iterator[str]:
        """Yield reads of what has come that are early or see something else."""
        for node, entry in enumerate(self.nodes):
            program = self.programs[node]
            indices = [index for index, step in enumerate(program[: entry["at"]]) if step.do == "read"]
            if [read["index"] for read in entry["reads"]] != indices:
                yield f"node {node}: reads {[read['index'] for read in entry['reads']]}, not {indices}"
                continue
            for read in entry["reads"]:
                step = program[read["index"]]
                receive = self.blocks[node, step.steps[0]]
                message = self.sent.get(tuple(receive.get("message", ())))
                if message is None:
                    continue
                done = read["clock"] >= self._time(node, step.steps[0], "done")
                # Of a message that has ended short of packets any part may be missing.
                partial = done and self.cut and receive["status"] == Status.DAMAGED.name
                data = message.step.content()[step.offset : step.offset + step.size].hex()
                started = read["clock"] >= self._time(node, step.steps[0], "started")
                if done and read["early"]:
                    yield f"node {node}: read {read['index']} is early, and the message was complete"
                known = not partial and (done or (started and not read["early"]))
                if known and not read["data"].startswith(data):
                    yield f"node {node}: read {read['index']} sees {read['data']}, not {data}"
