"""Vectorised algorithms of the traffic figures against the golden ones, run by run."""

import itertools
from functools import partial

import numpy as np
import pytest

from cubecast.golden.multicast.algorithms.broadcast import broadcast_2
from cubecast.golden.multicast.algorithms.multicast import multicast_1, multicast_by
from cubecast.golden.multicast.algorithms.optimal import optimal_multicast
from cubecast.golden.multicast.algorithms.spare import spare_global_send
from cubecast.golden.multicast.algorithms.unicast import multiple_unicast
from cubecast.study.lan.destinations import destination_lists
from cubecast.study.lan.optimum import MAX_DIM, optimal_traffic
from cubecast.study.lan.traffic import (
    broadcast_traffic,
    greedy_traffic,
    one_to_one_traffic,
    ordered_traffic,
    spare_traffic,
)
from cubecast.study.lan.traffic_point import METHODS, TrafficPoint, traffic_point

by_order = partial(multicast_by, "ordered")
SIZES = [(1, 1), (2, 2), (3, 5), (4, 1), (4, 9), (5, 20), (6, 3), (6, 17), (6, 40), (6, 63), (7, 50), (9, 30)]


def golden(function, dim, sources, lists):
    """Return the traffic of a golden algorithm, run by run."""
    runs = zip(sources.tolist(), lists.tolist(), strict=True)
    return [function(dim, source, [node ^ source for node in row]).traffic for source, row in runs]


@pytest.mark.parametrize("ratio", [1.0, 0.5])
@pytest.mark.parametrize(("dim", "count"), SIZES)
def test_traffic_is_that_of_the_golden_algorithms(dim, count, ratio):
    """For the same sources and lists."""
    sources, lists = destination_lists(3, dim, ratio, count, 15)
    assert greedy_traffic(dim, lists).tolist() == golden(multicast_1, dim, sources, lists)
    assert ordered_traffic(dim, sources, lists).tolist() == golden(
        partial(multicast_by, "ordered"), dim, sources, lists
    )
    assert spare_traffic(lists).tolist() == golden(spare_global_send, dim, sources, lists)
    assert one_to_one_traffic(lists).tolist() == golden(multiple_unicast, dim, sources, lists)
    assert set(broadcast_traffic(dim, lists)) == {broadcast_2(dim, 0).traffic}


@pytest.mark.parametrize("count", range(1, 8))
def test_every_list_of_the_3_cube(count):
    """All sets of nodes, in both orders, under all methods; the source does not matter except to ordered."""
    sets = list(itertools.combinations(range(1, 8), count))
    lists = np.array([*sets, *(row[::-1] for row in sets)])
    sources = np.arange(len(lists)) % 8
    assert greedy_traffic(3, lists).tolist() == golden(multicast_1, 3, sources, lists)
    assert ordered_traffic(3, sources, lists).tolist() == golden(by_order, 3, sources, lists)
    assert spare_traffic(lists).tolist() == golden(spare_global_send, 3, sources, lists)
    assert optimal_traffic(3, lists).tolist() == golden(optimal_multicast, 3, sources, lists)


@pytest.mark.parametrize("ratio", [1.0, 0.5])
@pytest.mark.parametrize(
    ("dim", "count"),
    [(1, 1), (2, 3), (4, 3), (4, 7), (4, 12), (5, 5), (5, 9), (5, 16), (5, 25), (6, 4), (6, 9), (6, 63)],
)
def test_optimum_is_that_of_the_golden_algorithm(dim, count, ratio):
    """Which tries the subsets of destinations, not the sets of nodes."""
    sources, lists = destination_lists(4, dim, ratio, count, 12)
    assert optimal_traffic(dim, lists).tolist() == golden(optimal_multicast, dim, sources, lists)


def smallest_supported_set(dim, wanted):
    """Return the size of the smallest set of nodes that holds ``wanted`` and is supported, by trying all."""
    others = [node for node in range(1, 1 << dim) if node not in wanted]
    for more in range(len(others) + 1):
        for added in itertools.combinations(others, more):
            nodes = {0, *wanted, *added}
            if all(any(node >> j & 1 and node ^ 1 << j in nodes for j in range(dim)) for node in nodes - {0}):
                return len(nodes) - 1
    raise AssertionError("all nodes are supported")


@pytest.mark.parametrize("count", [2, 5, 8])
def test_optimum_is_the_smallest_of_all_sets(count):
    """In the 4-cube, where all can be tried."""
    _, lists = destination_lists(5, 4, 1.0, count, 12)
    assert optimal_traffic(4, lists).tolist() == [smallest_supported_set(4, row) for row in lists.tolist()]


def test_optimum_of_a_larger_cube_is_refused():
    """One line."""
    with pytest.raises(ValueError, match=r"^dim must be an integer from 1 to 6, not 7$"):
        optimal_traffic(MAX_DIM + 1, np.array([[1]]))


def test_runs_do_not_depend_on_how_many_there_are():
    """Nor on the method or the distribution: a run has its own random numbers."""
    sources, lists = destination_lists(9, 6, 1.0, 20, 30)
    fewer = destination_lists(9, 6, 1.0, 20, 10)
    assert (sources[:10] == fewer[0]).all()
    assert (lists[:10] == fewer[1]).all()
    assert (sources == destination_lists(9, 6, 0.5, 20, 30)[0]).all()
    assert (lists != destination_lists(10, 6, 1.0, 20, 30)[1]).any()


@pytest.mark.parametrize("ratio", [1.0, 0.5])
def test_first_destinations_have_the_probabilities_of_the_text(ratio):
    """p(d + 1) = ratio p(d), and the sum over all nodes is 1; later ones are all different."""
    _, lists = destination_lists(1, 4, ratio, 6, 4000)
    assert all(len(set(row)) == 6 and 0 not in row for row in lists.tolist())
    weights = np.array([ratio ** (node.bit_count() - 1) for node in range(1, 16)])
    expected = 4000 * weights / weights.sum()
    observed = np.bincount(lists[:, 0], minlength=16)[1:]
    # Chi-square with 14 degrees of freedom: 36 is exceeded once in 1000.
    assert ((observed - expected) ** 2 / expected).sum() < 36


def test_point_compares_run_by_run():
    """Differences to greedy and to the optimum, and how often a method needs less than greedy."""
    outcome = traffic_point(2, 5, 1.0, 8, 40, METHODS)
    point = TrafficPoint(outcome)
    sources, lists = destination_lists(2, 5, 1.0, 8, 40)
    greedy, spare, best = greedy_traffic(5, lists), spare_traffic(lists), optimal_traffic(5, lists)
    assert point.traffic("spare").mean == spare.mean()
    assert point.above("greedy", "spare").min == (spare - greedy).min()
    assert point.above("optimal", "greedy").max == (greedy - best).max()
    assert point.below_greedy("optimal") == (best < greedy).sum() > 0
    assert point.traffic("ordered").mean == ordered_traffic(5, sources, lists).mean()


def test_unknown_method_is_refused():
    """One line."""
    with pytest.raises(ValueError, match=r"^method must be one of greedy, .*, not 'worst'$"):
        traffic_point(1, 3, 1.0, 2, 2, ["greedy", "worst"])
