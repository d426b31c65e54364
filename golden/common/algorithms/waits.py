"""Who waits for whom: orders and rings in a graph of buffers."""

from __future__ import annotations

from collections import deque
from collections.abc import Collection, Mapping
from typing import Any, TypeVar

__all__ = ["Waits", "find_cycle", "topological_order"]

T = TypeVar("T", bound=tuple[Any, ...])

Waits = Mapping[T, Collection[T]]
"""For every buffer those that what is in it waits for."""


def topological_order(graph: Waits[T]) -> list[T] | None:
    """Return all buffers in an order in which each comes before those that it may wait for; None if there is none.

    Such an order is the proof that no ring can close: along it, the last buffer whose message does not get on waits for
    a buffer behind it, whose message does.
    """
    waited_by = dict.fromkeys(graph, 0)
    for targets in graph.values():
        for target in targets:
            waited_by[target] += 1
    order = [buffer for buffer, count in waited_by.items() if not count]
    for buffer in order:
        for target in graph[buffer]:
            waited_by[target] -= 1
            if not waited_by[target]:
                order.append(target)
    return order if len(order) == len(graph) else None


def find_cycle(graph: Waits[T]) -> list[T] | None:
    """Return a shortest cycle: buffers of which each may wait for the next, and the last for the first; None if none.

    Of equals, the one that starts at the smallest buffer.
    """
    if topological_order(graph) is not None:
        return None
    best: list[T] = []
    for start in sorted(graph):
        before: dict[T, T] = {}
        queue = deque([start])
        while queue and start not in before:
            buffer = queue.popleft()
            for target in sorted(graph[buffer]):
                if target not in before:
                    before[target] = buffer
                    queue.append(target)
        if start in before:
            cycle = [before[start]]
            while cycle[0] != start:
                cycle.insert(0, before[cycle[0]])
            if not best or len(cycle) < len(best):
                best = cycle
    return best
