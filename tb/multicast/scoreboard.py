"""Scoreboard of a network: every destination gets its message exactly once, or is reported; independent of the twin."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Sequence
from random import Random

from cubecast.golden.multicast.contract.config import Config
from cubecast.golden.multicast.contract.reason import Reason
from cubecast.tb.common.scoreboard import Books
from cubecast.tb.multicast.traffic import Message

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


class Scoreboard(Books[Reason]):
    """What went in, what came out, and whether the books balance.

    Parameters
    ----------
    config : Config
        The network's parameters.
    faulty : collection of int
        Nodes whose neighbours have them marked as faulty.
    live : bool
        Whether fault vectors change while messages are under way: then any destination may be reported, and a
        delivery may end early, with a word 0 and ``error``.
    """

    def __init__(self, config: Config, faulty: Collection[int] = (), live: bool = False) -> None:
        super().__init__(config.nodes)
        self.config, self.faulty, self.live = config, frozenset(faulty), live
        self.vectors = [_faults_near(config, node, self.faulty) for node in range(config.nodes)]
        kept = all(vector.bit_count() < 2 for node, vector in enumerate(self.vectors) if node not in self.faulty)
        self.rule = kept and not live
        self.injected: Counter[int] = Counter()
        self.delivered: Counter[int] = Counter()
        self.messages: Counter[tuple[int, tuple[int, ...], int]] = Counter()
        self.owed: Counter[int] = Counter()

    def inject(self, source: int, message: Message) -> None:
        """Note a message that a node's processor sends."""
        self.injected[source] += 1
        if message.reason:
            self.expect(source, message.reason)
        for node in message.destinations:
            self.owed[node] += 1
            if node not in self.faulty:
                self.messages[node, message.data, message.error] += 1

    def eject(self, node: int, data: int, last: int, error: int) -> None:
        """Note a word that a node's processor gets."""
        words = self.take(node, data, last)
        if not last:
            return
        words = words[int(self.config.fault_tolerant) :]
        key = (node, tuple(words), error)
        # Which message a short beginning belongs to cannot be told; the count of what is owed has to come out right.
        cut_off = self.live and error and not self.messages[key] and self._begins(node, words)
        assert cut_off or self.messages[key] > 0, f"node {node} got a message it is not owed: {words}, error {error}"
        self.messages[key] -= not cut_off
        assert self.owed[node] > 0, f"node {node} got more messages than it is owed"
        self.owed[node] -= 1
        self.delivered[node] += 1

    def _begins(self, node: int, words: Sequence[int]) -> bool:
        """Return whether these words are the beginning of a message owed to ``node``, and a 0."""
        *begun, end = words
        length = len(begun)
        return end == 0 and any(
            count and to == node and len(data) > length and data[:length] == (*begun,)
            for (to, data, _), count in self.messages.items()
        )

    def report(self, node: int, reason: int, destination: int) -> None:
        """Note a report of a node's router."""
        reason = Reason(reason)
        self.count(node, reason)
        if reason in (Reason.COPY_CUT, Reason.INPUT_CUT):
            assert self.live, f"node {node} reports {reason.name}, but no fault vector has changed"
            return
        if reason < Reason.UNDELIVERABLE:
            self.cover(node, reason)
            return
        lost = destination in self.faulty
        assert lost or not self.rule, f"node {node} reports that {destination} is {reason.name}: it is not"
        assert self.owed[destination] > 0, f"node {node} reports {destination}, which is owed nothing"
        self.owed[destination] -= 1

    @property
    def settled(self) -> bool:
        """Whether every destination and every report is accounted for."""
        return self.complete and not any(self.owed.values())

    def balance(self) -> str:
        """Return one line about what is still owed."""
        nodes = {node: count for node, count in self.owed.items() if count}
        reports = {key: count for key, count in self.owed_reports.items() if count}
        return f"owed to nodes: {nodes}; reports owed by nodes: {reports}; faulty: {sorted(self.faulty)}"
