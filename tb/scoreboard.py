"""Scoreboard of a network: every destination gets its message exactly once, or is reported; independent of the twin."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection
from random import Random

from cubecast.golden.config import Config
from cubecast.golden.message import Reason

from .traffic import Message

__all__ = ["Scoreboard", "fault_set"]


def fault_set(random: Random, config: Config, rule: bool) -> frozenset[int]:
    """Return random faulty nodes, at most one beside each fault-free node; or (not ``rule``) two beside one node."""
    nodes = range(config.nodes)
    if not rule:
        node = random.randrange(config.nodes)
        return frozenset(node ^ 1 << dimension for dimension in random.sample(range(config.dim), 2))
    found: set[int] = set()
    for node in random.sample(nodes, random.randint(1, config.nodes)):
        trial = found | {node}
        if all(_faults_near(config, other, trial).bit_count() < 2 for other in nodes if other not in trial):
            found = trial
    return frozenset(found if len(found) < config.nodes - 1 else ())


def _faults_near(config: Config, node: int, faulty: Collection[int]) -> int:
    """Return the fault vector of a node."""
    return sum(1 << dimension for dimension in range(config.dim) if node ^ 1 << dimension in faulty)


class Scoreboard:
    """What went in, what came out, and whether the books balance.

    Parameters
    ----------
    config : Config
        The network's parameters.
    faulty : collection of int
        Nodes whose neighbours have them marked as faulty.
    """

    def __init__(self, config: Config, faulty: Collection[int] = ()) -> None:
        self.config, self.faulty = config, frozenset(faulty)
        self.vectors = [_faults_near(config, node, self.faulty) for node in range(config.nodes)]
        self.rule = all(vector.bit_count() < 2 for node, vector in enumerate(self.vectors) if node not in self.faulty)
        self.injected: Counter[int] = Counter()
        self.delivered: Counter[int] = Counter()
        self.messages: Counter[tuple[int, tuple[int, ...], int]] = Counter()
        self.owed: Counter[int] = Counter()
        self.owed_reports: Counter[tuple[int, Reason]] = Counter()
        self.reported: Counter[tuple[int, Reason]] = Counter()
        self.partial: dict[int, list[int]] = {node: [] for node in range(config.nodes)}

    def inject(self, source: int, message: Message) -> None:
        """Note a message that a node's processor sends."""
        self.injected[source] += 1
        if message.reason:
            self.owed_reports[source, message.reason] += 1
        for node in message.destinations:
            if node in self.faulty:
                # The broadcast to all says nothing of a dead neighbour: that is known already.
                self.owed[node] += len(message.destinations) < self.config.broadcast_k
            else:
                self.owed[node] += 1
                self.messages[node, message.data, message.error] += 1

    def eject(self, node: int, data: int, last: int, error: int) -> None:
        """Note a word that a node's processor gets."""
        self.partial[node].append(data)
        if not last:
            return
        words = self.partial[node][int(self.config.fault_tolerant) :]
        self.partial[node] = []
        key = (node, tuple(words), error)
        assert self.messages[key] > 0, f"node {node} got a message it is not owed: {words}, error {error}"
        self.messages[key] -= 1
        self.owed[node] -= 1
        self.delivered[node] += 1

    def report(self, node: int, reason: int, destination: int) -> None:
        """Note a report of a node's router."""
        self.reported[node, Reason(reason)] += 1
        if reason < Reason.UNDELIVERABLE:
            name = Reason(reason).name
            assert self.owed_reports[node, Reason(reason)] > 0, f"node {node} reports {name} without cause"
            self.owed_reports[node, Reason(reason)] -= 1
            return
        lost = destination in self.faulty
        assert lost or not self.rule, f"node {node} reports that {destination} is {Reason(reason).name}: it is not"
        if self.owed[destination] or not lost:
            assert self.owed[destination] > 0, f"node {node} reports {destination}, which is owed nothing"
            self.owed[destination] -= 1

    @property
    def settled(self) -> bool:
        """Whether every destination and every report is accounted for."""
        return not any(self.owed.values()) and not any(self.owed_reports.values())

    def balance(self) -> str:
        """Return one line about what is still owed."""
        nodes = {node: count for node, count in self.owed.items() if count}
        reports = {f"{node} {reason.name}": count for (node, reason), count in self.owed_reports.items() if count}
        return f"owed to nodes: {nodes}; reports owed by nodes: {reports}; faulty: {sorted(self.faulty)}"
