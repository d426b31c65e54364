"""Testbench of the network with collectives in which processors do without them: messages over the plain local ports.

A processor takes a word in every cycle. When it has a message completely it works on it for some cycles, one message
after the other, and then sends what follows from it. So it is timed, and its results are checked.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections import deque
from collections.abc import Mapping, Sequence
from random import Random
from typing import Any, Protocol

from cubecast.golden.collective.contract.config import HEADER_WORDS, CollectiveConfig
from cubecast.golden.common.twins.ports import bits
from cubecast.golden.multicast.contract.message import encode
from cubecast.tb.collective.network import Counts, Steps
from cubecast.tb.collective.playback import Playback
from cubecast.tb.harness.bench import Bench

__all__ = ["BENCH", "SINK", "Gather", "Multicasts", "Processors", "Task", "Unicasts", "stimulus"]

SINK = 0
"""Node in which vectors are merged."""

Message = tuple[Sequence[int] | None, list[int]]
"""Destinations, None for a broadcast, and payload: the node that the words are of, their place, and the words."""


class Task(Protocol):
    """What the processors do; ``done`` when every one has what it needs."""

    done: bool

    def begin(self, node: int) -> list[Message]:
        """Return what a processor sends at the start."""

    def take(self, node: int, payload: Sequence[int]) -> list[tuple[int, Message]]:
        """Work on a message; return what is sent now, with the nodes that send it."""


class _AllReduce(ABC):
    """An all-reduce: sums go to node 0, the result goes back.

    Parameters
    ----------
    config : CollectiveConfig
        Parameters of the network.
    words : int
        Words of every vector; 0 for a barrier.
    """

    def __init__(self, config: CollectiveConfig, words: int) -> None:
        self.config, self.words = config, words
        self.vectors = [[node + 1 << place % 8 for place in range(words)] for node in range(config.nodes)]
        total = config.nodes * (config.nodes + 1) // 2
        self.wanted = [total << place % 8 for place in range(words)]
        self.messages = max(1, -(-words // config.segment))
        self.left = [self.messages * self.pieces(node) for node in range(config.nodes)]
        self.coming = self.messages * (config.nodes - 1)
        self.done = False

    @abstractmethod
    def pieces(self, node: int) -> int:
        """Return the vectors that a node waits for before it sends."""

    def begin(self, node: int) -> list[Message]:
        """Return what a processor sends at the start: the vector of a node that waits for none."""
        return [] if self.left[node] else self.up(node)

    def up(self, node: int) -> list[Message]:
        """Return the messages with the vector of a node, to where it is merged."""
        return self.to(node, self.parent(node))

    @abstractmethod
    def parent(self, node: int) -> int:
        """Return the node that merges a node's vector."""

    @abstractmethod
    def down(self, node: int, segment: range) -> list[Message]:
        """Return the messages with words of the result that a node sends on."""

    def to(self, node: int, destination: int) -> list[Message]:
        """Return the messages with the whole vector of a node."""
        return [([destination], self.payload(node, segment)) for segment in self.segments()]

    def segments(self) -> list[range]:
        """Return the places of the words of each message."""
        size = self.config.segment
        return [range(start, min(start + size, self.words)) for start in range(0, max(1, self.words), size)]

    def payload(self, node: int, segment: range) -> list[int]:
        """Return the payload with these words of a node's vector."""
        return [node, segment.start, *(self.vectors[node][place] for place in segment)]

    def take(self, node: int, payload: Sequence[int]) -> list[tuple[int, Message]]:
        """Merge what comes on the way up, keep and pass on what comes on the way down."""
        _, start, *words = payload
        vector = self.vectors[node]
        if self.left[node]:
            for place, word in enumerate(words, start):
                vector[place] += word
            self.left[node] -= 1
            if self.left[node]:
                return []
            if node != SINK:
                return [(node, message) for message in self.up(node)]
            found = [message for segment in self.segments() for message in self.down(node, segment)]
        else:
            vector[start : start + len(words)] = words
            found = self.down(node, range(start, start + len(words)))
            self.coming -= 1
            if not self.coming:
                self.done = True
                assert all(each == self.wanted for each in self.vectors), self.vectors
        return [(node, message) for message in found]


class Unicasts(_AllReduce):
    """Every node sends its vector to node 0 itself, and node 0 the result to every node."""

    def pieces(self, node: int) -> int:
        """Return the vectors that a node waits for before it sends."""
        return 0 if node != SINK else self.config.nodes - 1

    def parent(self, node: int) -> int:
        """Return the node that merges a node's vector."""
        return SINK

    def down(self, node: int, segment: range) -> list[Message]:
        """Return the messages with words of the result that a node sends on."""
        if node != SINK:
            return []
        return [([other], self.payload(node, segment)) for other in range(self.config.nodes) if other != SINK]


class Gather(_AllReduce):
    """The tree of the merge: a node sends its vector when it has merged those of its children, and the result back."""

    def children(self, node: int) -> list[int]:
        """Return the nodes whose vectors a node merges, that with the largest part of the tree first."""
        dims = range(self.config.dim) if node == SINK else range((node & -node).bit_length() - 1)
        return [node | 1 << j for j in reversed(dims)]

    def pieces(self, node: int) -> int:
        """Return the vectors that a node waits for before it sends."""
        return len(self.children(node))

    def parent(self, node: int) -> int:
        """Return the node that merges a node's vector."""
        return node & node - 1

    def down(self, node: int, segment: range) -> list[Message]:
        """Return the messages with words of the result that a node sends on."""
        return [([child], self.payload(node, segment)) for child in self.children(node)]


class Multicasts:
    """Every member of a group multicasts a message to all others, as many as the routers take in one list.

    Parameters
    ----------
    config : CollectiveConfig
        Parameters of the network.
    words : int
        Words of every message; they must fit in one segment.
    members : sequence of int
        The group.
    turns : bool
        A member sends when it has the message of the one before; False: all send at the start.
    """

    def __init__(self, config: CollectiveConfig, words: int, members: Sequence[int], turns: bool) -> None:
        self.config, self.words, self.members, self.turns = config, words, members, turns
        self.got: dict[int, list[int]] = {member: [] for member in members}
        self.done = False

    def begin(self, node: int) -> list[Message]:
        """Return what a processor sends at the start."""
        return self.message(node) if node in self.got and (not self.turns or node == self.members[0]) else []

    def message(self, node: int) -> list[Message]:
        """Return the message of a member."""
        others = [other for other in self.members if other != node]
        payload = [node, 0, *(node << 8 | place for place in range(self.words))]
        return [(None if len(others) == self.config.nodes - 1 else others, payload)]

    def take(self, node: int, payload: Sequence[int]) -> list[tuple[int, Message]]:
        """Keep a message; it may be a member's turn then."""
        origin, _, *words = payload
        assert words == [origin << 8 | place for place in range(self.words)], payload
        self.got[node].append(origin)
        if all(len(got) == len(self.members) - 1 for got in self.got.values()):
            self.done = True
            assert all(sorted([node, *got]) == sorted(self.members) for node, got in self.got.items()), self.got
        place = self.members.index(node)
        if not self.turns or not place or origin != self.members[place - 1]:
            return []
        return [(node, message) for message in self.message(node)]


TASKS: Mapping[str, type[Unicasts | Gather | Multicasts]] = {
    "unicasts": Unicasts,
    "gather": Gather,
    "multicasts": Multicasts,
}


class Processors:
    """The processors of all nodes during one task.

    Parameters
    ----------
    config : CollectiveConfig
        Parameters of the network.
    task : Task
        What they do.
    message, word : int
        Cycles that a processor works on a message, and on each of its words besides the header; with 0 and 0 it works
        while the message comes in.
    """

    def __init__(self, config: CollectiveConfig, task: Task, message: int, word: int) -> None:
        self.config, self.task, self.message, self.word = config, task, message, word
        nodes = range(config.nodes)
        self.out: list[deque[deque[int]]] = [deque() for _ in nodes]
        self.coming: list[list[int]] = [[] for _ in nodes]
        self.work: list[deque[tuple[int, list[int]]]] = [deque() for _ in nodes]
        self.cycle = 0
        for node in nodes:
            for each in task.begin(node):
                self._send(node, each)

    def run(self, most: int) -> Steps:
        """Take part till the task is done, or so many cycles are over."""
        shown: dict[str, int] = {}
        names = ("inject_valid", "inject_data", "inject_last")
        while not self.task.done and self.cycle < most:
            inputs = self._offer()
            outputs = yield {name: value for name, value in inputs.items() if shown.get(name) != value}
            shown = inputs
            for node in bits(inputs["inject_valid"] & outputs["inject_ready"]):
                self.out[node][0].popleft()
                if not self.out[node][0]:
                    self.out[node].popleft()
            self.cycle += 1
            self._take(outputs)
            self._work()
        yield dict.fromkeys(names, 0)

    def _send(self, node: int, message: Message) -> None:
        """Give a message to a processor that sends it."""
        destinations, payload = message
        self.out[node].append(deque(encode(self.config.router, node, destinations, payload)))

    def _offer(self) -> dict[str, int]:
        """Return the words that are offered in this cycle."""
        valid = data = last = 0
        for node, messages in enumerate(self.out):
            if messages:
                valid |= 1 << node
                data |= messages[0][0] << self.config.width * node
                last |= (len(messages[0]) == 1) << node
        return {"inject_valid": valid, "inject_data": data, "inject_last": last}

    def _take(self, outputs: Mapping[str, Any]) -> None:
        """Take the words that come in; ``cycle`` is already the next one."""
        width = self.config.width
        for node in bits(outputs["eject_valid"]):
            coming = self.coming[node]
            coming.append(outputs["eject_data"] >> width * node & (1 << width) - 1)
            if outputs["eject_last"] >> node & 1:
                assert not outputs["eject_error"] >> node & 1
                # the first word is the control word
                payload, work = coming[1:], self.work[node]
                begun = max(self.cycle, work[-1][0] if work else 0)
                work.append((begun + self.message + self.word * (len(payload) - HEADER_WORDS), payload))
                self.coming[node] = []

    def _work(self) -> None:
        """Do what is finished by now."""
        for node, work in enumerate(self.work):
            while work and work[0][0] <= self.cycle:
                for sender, message in self.task.take(node, work.popleft()[1]):
                    self._send(sender, message)


def stimulus(
    random: Random, config: CollectiveConfig, tasks: Sequence[Mapping[str, Any]], most: int = 100_000
) -> Steps:
    """Do the tasks, one after the other; record ``cycles`` and the counters of the routers of each.

    Parameters
    ----------
    random : Random
        Not used.
    config : CollectiveConfig
        Parameters of the network; the local ports are the processors', since nothing enables the collectives.
    tasks : sequence of dict
        Each with ``task``, the name of one of :data:`TASKS`; ``cost``, cycles per message and per word; and the other
        parameters of the task.
    most : int
        Cycles that a task may take.
    """
    yield {"eject_ready": (1 << config.nodes) - 1}
    counts = Counts(config)
    for each in tasks:
        given = {name: value for name, value in each.items() if name not in ("task", "cost")}
        processors = Processors(config, TASKS[each["task"]](config, **given), *each["cost"])
        yield from processors.run(most)
        if not processors.task.done:
            raise TimeoutError(f"cycles must be enough for {each}, not {most}")
        counted = yield from counts.read({})
        outputs = yield {}
        outputs.recorder.record.append({"clocks": processors.cycle, **counted})


BENCH = Bench(
    unit="collective.network:CollectiveNetwork",
    twin="cubecast.tb.collective.playback:Playback",
    stimulus=stimulus,
    collect=Playback.result,
    extra={"probe": True},
)
