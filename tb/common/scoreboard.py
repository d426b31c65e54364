"""Core of the scoreboards: deliveries that nodes are being given, reports that came, and those that have to come."""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable
from enum import IntEnum
from typing import Generic, TypeVar

__all__ = ["Books"]

R = TypeVar("R", bound=IntEnum)


class Books(Generic[R]):
    """The pages that every network's books have.

    Parameters
    ----------
    nodes : int
        Nodes of the network.
    """

    def __init__(self, nodes: int) -> None:
        self.partial: list[list[int]] = [[] for _ in range(nodes)]
        self.reported: Counter[tuple[int, R]] = Counter()
        self.owed_reports: Counter[tuple[Hashable, ...]] = Counter()

    def take(self, node: int, word: int, last: int) -> list[int]:
        """Note a word that a node gets; return those of the delivery that ends with it, none before."""
        self.partial[node].append(word)
        if not last:
            return []
        words, self.partial[node] = self.partial[node], []
        return words

    def expect(self, node: int, reason: R, *place: int) -> None:
        """Note a report that has to come, from a place of a node."""
        self.owed_reports[node, reason, *place] += 1

    def count(self, node: int, reason: R) -> None:
        """Note a report that came."""
        self.reported[node, reason] += 1

    def cover(self, node: int, reason: R, *place: int, told: str = "") -> None:
        """Take a report that came off those that have to; ``told`` says of what it was."""
        owed = node, reason, *place
        assert self.owed_reports[owed] > 0, f"node {node} reports {reason.name}{told} without cause"
        self.owed_reports[owed] -= 1

    @property
    def complete(self) -> bool:
        """Whether all reports have come, and no delivery is without its end."""
        return not any(self.owed_reports.values()) and not any(self.partial)
