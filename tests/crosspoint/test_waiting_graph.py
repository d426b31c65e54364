"""The waiting graph of the crosspoint router: no ring with its flags, one with a single ready wire and two runs."""

from __future__ import annotations

import itertools

import pytest

from cubecast.golden.common.algorithms.waits import find_cycle, topological_order
from cubecast.golden.crosspoint.algorithms.packets import Header, branches, fault_of
from cubecast.golden.crosspoint.algorithms.waiting_graph import Queue, covered, rank, waiting_graph
from cubecast.golden.crosspoint.contract.config import CrosspointConfig
from cubecast.golden.crosspoint.contract.word import Kind


@pytest.mark.parametrize("runs", [1, 2])
@pytest.mark.parametrize("dim", range(2, 8))
def test_there_is_no_ring(dim: int, runs: int) -> None:
    """There is an order of all queues in which waits lead forward; the rank is one."""
    config = CrosspointConfig(dim=dim, runs=runs)
    graph = waiting_graph(config)
    assert topological_order(graph) is not None
    assert all(rank(config, queue) < rank(config, other) for queue, others in graph.items() for other in others)


def test_size_of_the_graph_of_a_6_cube() -> None:
    """2304 queues before links, and 8000 waits among them."""
    graph = waiting_graph(CrosspointConfig(dim=6))
    before_links = [queue for queue in graph if queue.output < 6]
    assert len(before_links) == 2304
    assert sum(other.output < 6 for queue in before_links for other in graph[queue]) == 8000


@pytest.mark.parametrize("dim", range(2, 7))
def test_one_ready_wire_closes_a_ring(dim: int) -> None:
    """With two runs; with one there is nothing to separate."""
    assert topological_order(waiting_graph(CrosspointConfig(dim=dim), one_wire=True)) is None
    assert topological_order(waiting_graph(CrosspointConfig(dim=dim, runs=1), one_wire=True)) is not None


def test_the_ring_of_one_ready_wire() -> None:
    """Around a square, in which every second queue leads up and waits for one that leads down."""
    cycle = find_cycle(waiting_graph(CrosspointConfig(dim=3), one_wire=True))
    assert cycle == [Queue(0, 0, 1), Queue(2, 1, 0), Queue(3, 0, 1), Queue(1, 1, 0)]


@pytest.mark.parametrize("runs", [1, 2])
def test_flags_cover_every_queue_a_packet_can_go_to(runs: int) -> None:
    """All headers that can stand in a queue of a 3-cube: the next queues are among those of its flag."""
    config = CrosspointConfig(dim=3, width=8, runs=runs)
    n = config.dim
    start = [Header(kind, r1, r2) for kind in (0, 1) for r1, r2 in itertools.product(range(8), repeat=2)]
    start += [Header(Kind.BITMAP, 0, 0, bitmap) for bitmap in range(2, 256, 2)]
    todo = [(n, header) for header in start if fault_of(config, header) is None]
    seen, used = set(todo), set()
    for came, header in todo:
        for dimension, left in branches(config, came, header)[1]:
            taken, further = branches(config, dimension, left)
            next_queues = {branch.dimension for branch in further} | ({n} if taken else set())
            assert next_queues <= set(covered(config, came, dimension))
            used |= {(came, dimension, k) for k in next_queues}
            if (dimension, left) not in seen:
                seen.add((dimension, left))
                todo.append((dimension, left))
    every = {(queue.input, queue.output, k) for queue in waiting_graph(config) for k in covered(config, *queue[1:])}
    assert used == every
