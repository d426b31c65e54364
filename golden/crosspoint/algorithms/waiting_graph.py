"""Waiting graph: which queues a packet's head may wait for, by the ready flag that it needs.

A head in queue (i, j) waits for room in every queue that its flag covers at the neighbour in dimension j, whether it
goes there or not. Words behind a head wait for nothing but the words before them; who holds an output has room for the
whole of its packet, and gets the rest of it from queues whose outputs are held by the same packet, back to its source.
An ejection queue waits for its node alone. So if nodes take their words, a network whose graph has no cycle cannot
deadlock.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from cubecast.golden.crosspoint.contract.config import CrosspointConfig
from cubecast.golden.crosspoint.contract.word import inputs_of, outputs_of

__all__ = ["Queue", "covered", "queues", "rank", "waiting_graph"]


class Queue(NamedTuple):
    """A queue of a node.

    Parameters
    ----------
    node : int
        Its node.
    input, output : int
        i and j; n is the injection, and the ejection port.
    """

    node: int
    input: int
    output: int


def queues(config: CrosspointConfig) -> Iterator[Queue]:
    """Yield all queues of a network."""
    for node in range(config.nodes):
        for j in range(config.ports):
            for i in inputs_of(config, j):
                yield Queue(node, i, j)


def covered(config: CrosspointConfig, i: int, j: int, *, one_wire: bool = False) -> tuple[int, ...]:
    """Return the outputs k of the queues (j, k) of the next node that the ready flag for queue (i, j) covers.

    With ``one_wire`` there is no ``ready_up``: all heads need ``ready``.
    """
    if j == config.dim:
        return ()
    up = i < j and not one_wire
    return tuple(k for k in outputs_of(config, j) if k > j or not up)


def waiting_graph(config: CrosspointConfig, *, one_wire: bool = False) -> dict[Queue, tuple[Queue, ...]]:
    """Return all queues, each with those that a head in it may wait for.

    Parameters
    ----------
    config : CrosspointConfig
        Dimension and runs count.
    one_wire : bool
        A link with one ready wire for all queues, which no router here has: with two runs it can deadlock.
    """
    return {
        queue: tuple(
            Queue(queue.node ^ 1 << queue.output, queue.output, k)
            for k in covered(config, queue.input, queue.output, one_wire=one_wire)
        )
        for queue in queues(config)
    }


def rank(config: CrosspointConfig, queue: Queue) -> tuple[int, int]:
    """Return a number that is larger for every queue that a head in this one may wait for."""
    n, (_, i, j) = config.dim, queue
    if j == n:
        return 3, 0
    if i == n:
        return 0, 0
    return (1, -j) if i > j else (2, j)
