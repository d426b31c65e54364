"""The exact Optimal Multicast Tree against brute force, and the special algorithms against it."""

from __future__ import annotations

import itertools
import random
import time

import pytest
from hypothesis import given

from cubecast.golden.multicast.algorithms.broadcast import broadcast_2
from cubecast.golden.multicast.algorithms.multicast import multicast_1, multicast_f1
from cubecast.golden.multicast.algorithms.optimal import optimal_broadcast, optimal_multicast
from cubecast.golden.multicast.algorithms.route import POLICIES, route
from cubecast.golden.multicast.algorithms.small import one_to_three, one_to_two
from cubecast.golden.multicast.algorithms.spare import spare_global_send, spare_step
from tests.harness.search import search
from tests.multicast.algorithms_reference import (
    all_fault_sets,
    cheapest_by_closed_sets,
    cheapest_by_link_sets,
    requests,
    verify_tree,
)

SEARCH = search(60)


def assert_optimal(n, source, destinations, faults, best):
    """Assert that the optimal tree is one and has the traffic of the table ``best`` (relative to the source)."""
    tree = optimal_multicast(n, source, destinations, faults)
    verify_tree(tree)
    assert tree.traffic == best[1 | sum(1 << (v ^ source) for v in destinations)]


def test_the_two_brute_force_optima_agree():
    """All sets of links and all sets of nodes give the same optimum; n = 3, every fault set that obeys the rule."""
    for faults in all_fault_sets(3):
        if 0 not in faults:
            by_nodes = cheapest_by_closed_sets(3, faults)
            for destinations, cost in cheapest_by_link_sets(faults).items():
                assert by_nodes[sum(1 << v for v in destinations) | 1] == (99 if cost is None else cost)


@pytest.mark.core
def test_optimal_exhaustive_n3():
    """All sources, destination sets and rule-obeying fault sets: the traffic of the brute-force optimum."""
    for faults in all_fault_sets(3):
        healthy = [v for v in range(8) if v not in faults]
        for source in healthy:
            best = cheapest_by_link_sets(frozenset(fault ^ source for fault in faults))
            others = [v for v in healthy if v != source]
            for k in range(1, len(others) + 1):
                for destinations in itertools.combinations(others, k):
                    tree = optimal_multicast(3, source, destinations, faults)
                    verify_tree(tree)
                    tree.check()
                    assert tree.traffic == best[tuple(sorted(v ^ source for v in destinations))]


def test_optimal_with_any_faults_n3():
    """All fault sets, all other nodes as destinations: reached exactly if there is a feasible shortest path."""
    for members in range(1, 128):
        faults = frozenset(v for v in range(1, 8) if members >> v - 1 & 1)
        best = cheapest_by_link_sets(faults)
        tree = optimal_multicast(3, 0, range(8), faults)
        feasible = tuple(v for v in range(1, 8) if best[(v,)] is not None)
        assert tree.delivered == (0, *feasible)
        assert tree.traffic == (best[feasible] if feasible else 0)


def test_optimal_samples_n4():
    """Random destination sets of every size, without and with faults."""
    choose = random.Random(4001)
    for faults in [frozenset()] * 20 + choose.sample(all_fault_sets(4), 60):
        source = choose.choice([v for v in range(16) if v not in faults])
        best = cheapest_by_closed_sets(4, frozenset(fault ^ source for fault in faults))
        others = [v for v in range(16) if v not in faults and v != source]
        for k in range(1, len(others) + 1):
            assert_optimal(4, source, choose.sample(others, k), faults, best)


@pytest.mark.soak
def test_optimal_exhaustive_n4():
    """All destination sets of source 0, without faults and with every fourth fault set that obeys the rule."""
    for faults in [frozenset(), *(faults for faults in all_fault_sets(4)[1::4] if 0 not in faults)]:
        best = cheapest_by_closed_sets(4, faults)
        others = [v for v in range(1, 16) if v not in faults]
        for k in range(1, len(others) + 1):
            for destinations in itertools.combinations(others, k):
                assert_optimal(4, 0, destinations, faults, best)


def test_optimal_with_any_faults_n4():
    """Random fault sets that need not obey the rule, random destinations: only what is feasible, cheapest."""
    choose = random.Random(4002)
    for _ in range(40):
        faults = frozenset(choose.sample(range(1, 16), choose.randint(2, 7)))
        best = cheapest_by_closed_sets(4, faults)
        for _ in range(10):
            destinations = choose.sample(range(1, 16), choose.randint(1, 15))
            tree = optimal_multicast(4, 0, destinations, faults)
            feasible = {v for v in destinations if best[1 | 1 << v] < 99}
            verify_tree(tree, feasible)
            assert set(tree.delivered) == feasible
            assert tree.traffic == best[1 | sum(1 << v for v in feasible)]


def test_optimal_reaches_every_number_of_destinations_n6():
    """All k from 1 to 63 with random destinations: between k and greedy, and exactly 63 for all of them."""
    choose = random.Random(6063)
    for k in range(1, 64):
        destinations = choose.sample(range(1, 64), k)
        tree = optimal_multicast(6, 0, destinations)
        verify_tree(tree)
        assert k <= tree.traffic <= multicast_1(6, 0, destinations).traffic


def test_optimal_10_destinations_n6_in_seconds():
    """The size the model has to reach, with and without faults; the answer is the same every time."""
    choose = random.Random(6010)
    start = time.perf_counter()
    for faults in ((), (1, 2 ^ 63)):
        for _ in range(5):
            destinations = choose.sample(sorted(set(range(1, 64)) - set(faults)), 10)
            tree = optimal_multicast(6, 0, destinations, faults)
            verify_tree(tree)
            assert tree == optimal_multicast(6, 0, destinations, faults)
            assert 10 <= tree.traffic <= multicast_f1(6, 0, destinations, faults).traffic
    assert time.perf_counter() - start < 30


@SEARCH
@given(requests(low=5, high=7, most=8))
def test_no_policy_beats_the_optimum(request):
    """n = 5 to 7: the optimum is a multicast tree and no policy has less traffic."""
    n, source, destinations, faults = request
    tree = optimal_multicast(n, source, destinations, faults)
    verify_tree(tree)
    tree.check()
    for policy in POLICIES:
        assert route(n, source, destinations, policy=policy, faults=faults).traffic >= tree.traffic


def test_optimal_broadcast_all_faults_n3():
    """All fault sets: one link for each node that has a feasible shortest path."""
    for members in range(128):
        faults = frozenset(v for v in range(1, 8) if members >> v - 1 & 1)
        tree = optimal_broadcast(3, 0, faults)
        best = cheapest_by_link_sets(faults)
        assert tree.delivered == tuple(v for v in range(1, 8) if best[(v,)] is not None)
        assert tree.traffic == len(tree.delivered)
        verify_tree(tree, tree.delivered)
        tree.check()


def test_choice_among_equal_trees():
    """Parents in low dimensions first, roots near the source first; a broadcast is that of BROADCAST.2."""
    assert optimal_multicast(3, 0, (1, 2, 3)).path(3) == (0, 2, 3)
    assert optimal_multicast(4, 0, (7,)).path(7) == (0, 1, 3, 7)
    assert optimal_multicast(4, 0, (1, 2, 15)).path(15) == (0, 1, 3, 7, 15)
    for source in (0, 9):
        assert set(optimal_broadcast(4, source).edges) == set(broadcast_2(4, source).edges)


def test_one_to_two_is_optimal_exhaustive_n4():
    """All ordered pairs and all sources of a 4-cube, equal destinations and the source itself included."""
    best = cheapest_by_closed_sets(4, frozenset())
    for source, first, second in itertools.product(range(16), repeat=3):
        tree = one_to_two(4, source, first, second)
        verify_tree(tree)
        assert tree.traffic == best[1 | 1 << (first ^ source) | 1 << (second ^ source)]


def test_one_to_three_is_optimal_exhaustive_n4():
    """All ordered triples and one source of a 4-cube, then unordered triples with other sources."""
    best = cheapest_by_closed_sets(4, frozenset())
    triples = [(0, triple) for triple in itertools.product(range(16), repeat=3)]
    triples += [(source, triple) for source in (6, 15) for triple in itertools.combinations(range(16), 3)]
    for source, triple in triples:
        tree = one_to_three(4, source, *triple)
        verify_tree(tree)
        tree.check()
        assert tree.traffic == best[1 | sum(1 << (v ^ source) for v in set(triple) - {source})]


def test_one_to_three_is_optimal_n5():
    """Every 31st triple of a 5-cube against the exact algorithm."""
    for triple in itertools.islice(itertools.combinations(range(1, 32), 3), 0, None, 31):
        assert one_to_three(5, 0, *triple).traffic == optimal_multicast(5, 0, triple).traffic


def test_spare_global_send_step():
    """The closest destination takes along what lies behind it; ties go to the first in the list."""
    assert spare_step((0b010, 0b011, 0b100, 0b101)) == (((1, (0, 1)), (2, (2, 3))), ())
    assert spare_step((0b110, 0b011, 0b111)) == (((1, (0, 2)), (0, (1,))), ())
    # a faulty first choice: the next useful dimension; none left: given up, the rest goes on
    assert spare_step((0b110, 0b011, 0b111), 0b010) == (((2, (0, 2)), (0, (1,))), ())
    assert spare_step((0b010, 0b110), 0b010) == (((2, (1,)),), (0,))


@SEARCH
@given(requests(low=3, high=6))
def test_spare_global_send_delivers(request):
    """Every destination is delivered to, over a shortest path."""
    n, source, destinations, faults = request
    tree = spare_global_send(n, source, destinations, faults)
    tree.check()
    assert tree.delivered == tuple(sorted(set(destinations)))
    for destination in destinations:
        assert len(tree.path(destination)) - 1 == (source ^ destination).bit_count()


@pytest.mark.parametrize("k", [3, 9, 21])
def test_greedy_beats_spare_on_average(k):
    """Figure 5.4: on average over 100 random destination sets of a 6-cube."""
    choose = random.Random(k)
    sets = [choose.sample(range(1, 64), k) for _ in range(100)]
    greedy = sum(multicast_1(6, 0, destinations).traffic for destinations in sets)
    spare = sum(spare_global_send(6, 0, destinations).traffic for destinations in sets)
    assert greedy < spare
