"""The waiting graph of the crosspoint router: no ring with its flags, one with a single ready wire and two runs; of the
algorithm, and of what the hardware says."""

from __future__ import annotations

import itertools
import re
from collections.abc import Mapping

import pytest

from cubecast.golden.common.algorithms.waits import find_cycle, topological_order
from cubecast.golden.crosspoint.algorithms.packets import Header, branches, destinations, fault_of
from cubecast.golden.crosspoint.algorithms.waiting_graph import Queue, covered, rank, waiting_graph
from cubecast.golden.crosspoint.contract.config import CrosspointConfig
from cubecast.golden.crosspoint.contract.word import Kind
from cubecast.rtl.crosspoint import router
from tests.crosspoint.rtl_waits import covers_of, heeded_by, ways_of


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


def rtl_graph(
    config: CrosspointConfig, heeded: Mapping[tuple[int, int], frozenset[str]]
) -> dict[Queue, tuple[Queue, ...]]:
    """Return the waiting graph of the hardware: by queue (i, j), what the flags that its head heeds cover."""
    covers, n = covers_of(config), config.dim
    there: dict[tuple[int, int], set[int]] = {(i, n): set() for i in range(n)}
    there |= {(i, j): {k for flag in flags for k in covers[j, flag]} for (i, j), flags in heeded.items()}
    return {
        Queue(node, i, j): tuple(Queue(node ^ 1 << j, j, k) for k in sorted(these))
        for node in range(config.nodes)
        for (i, j), these in there.items()
    }


@pytest.mark.parametrize("runs", [1, 2])
@pytest.mark.parametrize("dim", [*range(2, 6), *(pytest.param(dim, marks=pytest.mark.soak) for dim in (6, 7))])
def test_there_is_no_ring_in_the_hardware(monkeypatch: pytest.MonkeyPatch, dim: int, runs: int) -> None:
    """Its queues, the flags that its outputs heed and what its inputs' flags cover make the same graph."""
    config, placed = CrosspointConfig(dim=dim, width=8, runs=runs), []
    place = router.place

    def noted(m, name, *parts, **extra):  # type: ignore[no-untyped-def]
        placed.append(name)
        return place(m, name, *parts, **extra)

    monkeypatch.setattr(router, "place", noted)
    router.CrosspointRouter(config).elaborate(None)
    queues = {(int(i), int(j)) for name in placed for i, j in re.findall(r"^queue_(\d+)_(\d+)$", name)}
    graph = rtl_graph(config, heeded_by(config))
    assert topological_order(graph) is not None
    assert {(queue.input, queue.output) for queue in graph} == queues
    assert graph == waiting_graph(config)


def test_one_ready_wire_closes_a_ring_in_the_hardware() -> None:
    """If the outputs heed the flag of all queues alone."""
    config = CrosspointConfig(dim=3, width=8)
    graph = rtl_graph(config, dict.fromkeys(heeded_by(config), frozenset({"ready"})))
    assert find_cycle(graph) == [Queue(0, 0, 1), Queue(2, 1, 0), Queue(3, 0, 1), Queue(1, 1, 0)]


@pytest.mark.parametrize("runs", [1, 2])
@pytest.mark.parametrize(
    "dim",
    [
        *range(2, 5),
        pytest.param(5, marks=pytest.mark.long),
        *(pytest.param(dim, marks=pytest.mark.soak) for dim in (6, 7)),
    ],
)
def test_next_sets_deliver_every_header(dim: int, runs: int) -> None:
    """Every legal header of words of 8 bits, to each of its destinations once; a head only goes where its flag covers,
    and may go wherever it does."""
    config = CrosspointConfig(dim=dim, width=8, runs=runs)
    sets = [*itertools.product(range(config.nodes), repeat=2)]
    headers = [Header(kind, r1, r2) for kind in (Kind.UNICAST, Kind.SUBCUBE) for r1, r2 in sets]
    bitmaps = range(1 << config.bitmap_bits)
    headers += [Header(Kind.BITMAP, r1, 0, bitmap) for r1 in range(config.nodes) for bitmap in bitmaps]
    legal = [header for header in headers if fault_of(config, header) is None]
    found, steps = ways_of(config, legal)
    assert all(sorted(found[header]) == sorted(destinations(header, 0)) for header in legal)
    covers, heeded = covers_of(config), heeded_by(config)
    assert steps == {(i, j, k) for (i, j), flags in heeded.items() for flag in flags for k in covers[j, flag]}


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
