"""The lemmas and theorems of Lan 1988, exhaustively for small cubes and by random search for larger ones."""

from __future__ import annotations

import itertools
import random

import pytest
from hypothesis import given

from cubecast.golden.common.algorithms.address import distance, nearest_common_ancestor
from cubecast.golden.common.algorithms.faults import fault_sets, fault_vector, obeys_rule
from cubecast.golden.multicast.algorithms.broadcast import (
    broadcast_1,
    broadcast_2,
    broadcast_2_step,
    broadcast_3,
    broadcast_by,
    broadcast_f3,
    control_step,
    source_step,
)
from cubecast.golden.multicast.algorithms.multicast import multicast_1, multicast_by, multicast_f1, multicast_step
from cubecast.golden.multicast.algorithms.policy import GREEDY
from cubecast.golden.multicast.algorithms.route import POLICIES, route
from cubecast.golden.multicast.algorithms.unicast import unicast_1, unicast_f1, unicast_step
from tests.harness.search import search
from tests.multicast.algorithms_reference import (
    all_fault_sets,
    broadcast_f3_literal,
    cheapest_by_closed_sets,
    cheapest_by_link_sets,
    multicast_f1_literal,
    requests,
    rule_holds,
    unicast_f1_literal,
    verify_tree,
)

SEARCH = search(150)


def subsets(nodes, least=1):
    """Return all subsets of ``nodes`` with at least ``least`` members."""
    nodes = list(nodes)
    return itertools.chain.from_iterable(itertools.combinations(nodes, k) for k in range(least, len(nodes) + 1))


def every_request(n):
    """Yield (source, destinations, faults): all sources, all destination sets, all fault sets that obey the rule."""
    for faults in all_fault_sets(n):
        healthy = [v for v in range(2**n) if v not in faults]
        for source in healthy:
            for destinations in subsets(v for v in healthy if v != source):
                yield source, destinations, faults


def assert_decisions(tree):
    """Assert that every node of a greedy tree decided as a literal reading of figure 7.7 does."""
    lists = {tree.source: tree.destinations}
    for node, decisions in tree.nodes.items():
        expected = multicast_f1_literal(tree.dim, node, lists[node], fault_vector(tree.dim, node, tree.faults))
        assert [(decision.dimension, decision.destinations) for decision in decisions] == expected
        lists.update((decision.to, decision.destinations) for decision in decisions)


# --- fault sets ---


@pytest.mark.parametrize("n", [3, 4])
def test_fault_sets_are_unions_of_subcubes_at_distance_3(n):
    """Enumeration by the rule gives exactly the unions of subcubes at mutual distance 3 or more."""
    enumerated = list(fault_sets(n))
    assert len(enumerated) == len(set(enumerated)) == {3: 31, 4: 201}[n]
    assert set(enumerated) == set(all_fault_sets(n))


def test_rule_by_definition_exhaustive_n3():
    """The rule agrees with its definition for all 256 subsets of a 3-cube."""
    for faults in map(frozenset, subsets(range(8), 0)):
        assert obeys_rule(3, faults) == rule_holds(3, faults)
    assert sum(obeys_rule(3, faults) for faults in subsets(range(8), 0)) == 32


@SEARCH
@given(requests())
def test_random_unions_of_subcubes_obey_the_rule(request):
    """Unions of subcubes at mutual distance 3 or more obey the rule in larger cubes too."""
    n, _, _, faults = request
    assert obeys_rule(n, faults) and rule_holds(n, faults)


# --- lemma and theorem 4.1 ---


@pytest.mark.parametrize("n", [3, 4])
def test_lemma_and_theorem_4_1_nearest_common_ancestor_exhaustive(n):
    """For every set of nodes the nearest common ancestor is unique and is the AND of the relative addresses."""
    ancestors = [{u for u in range(2**n) if distance(0, u) + distance(u, v) == distance(0, v)} for v in range(2**n)]
    for nodes in subsets(range(1, 2**n)):
        common = set.intersection(*(ancestors[v] for v in nodes))
        level = max(map(int.bit_count, common))
        nearest = {u for u in common if u.bit_count() == level}
        assert nearest == {nearest_common_ancestor(0, nodes)}


def test_theorem_4_1_from_any_source_exhaustive_n3():
    """The same with any source: ancestors are taken relative to it."""
    for source in range(8):
        for nodes in subsets(set(range(8)) - {source}):
            common = [
                u for u in range(8) if all(distance(source, u) + distance(u, v) == distance(source, v) for v in nodes)
            ]
            level = max(distance(source, u) for u in common)
            assert [u for u in common if distance(source, u) == level] == [nearest_common_ancestor(source, nodes)]


# --- chapter 5: MULTICAST.1 ---


def test_lemmas_5_1_5_2_theorem_5_1_multicast_tree_exhaustive_n3():
    """Without faults, n = 3, all sources and destination sets: a tree, each once, over shortest paths."""
    for source in range(8):
        for destinations in subsets(set(range(8)) - {source}):
            tree = multicast_1(3, source, destinations)
            verify_tree(tree)
            assert_decisions(tree)
            tree.check()


def test_theorem_5_1_multicast_tree_exhaustive_n4():
    """Without faults, n = 4, all 32767 destination sets of source 0."""
    for destinations in subsets(range(1, 16)):
        tree = multicast_1(4, 0, destinations)
        parents = {end: start for start, end in tree.edges}
        assert len(parents) == tree.traffic
        assert all(start & end == start for end, start in parents.items())
        assert parents.keys() >= set(destinations) == set(tree.delivered)
        # every node of the tree is needed
        assert set(parents) - set(parents.values()) <= set(destinations)


def test_lemma_5_3_optimal_below_3_destinations_exhaustive_n4():
    """One or two destinations: greedy traffic is the least possible; all sources of a 4-cube."""
    best = cheapest_by_closed_sets(4, frozenset())
    for source in range(16):
        others = set(range(16)) - {source}
        for destinations in itertools.chain(itertools.combinations(others, 1), itertools.combinations(others, 2)):
            wanted = sum(1 << (node ^ source) for node in destinations)
            assert multicast_1(4, source, destinations).traffic == best[wanted | 1]


@SEARCH
@given(requests(faulty=False))
def test_theorem_5_1_by_search(request):
    """n = 5 to 8, lists with repetitions and with the source in them."""
    n, source, destinations, _ = request
    tree = multicast_1(n, source, destinations)
    verify_tree(tree)
    assert_decisions(tree)
    tree.check()


# --- chapter 4: BROADCAST.1 to .3 ---


@pytest.mark.parametrize("n", [1, 2, 3, 4, 5])
def test_broadcasts_span_the_fault_free_cube(n):
    """All broadcast algorithms reach each other node once over a shortest path; .2, .3 and .F3 give one tree."""
    for source in range(2**n):
        trees = [make(n, source) for make in (broadcast_1, broadcast_2, broadcast_3, broadcast_f3)]
        trees.append(broadcast_by("ordered", n, source))
        for tree in trees:
            verify_tree(tree)
            tree.check()
            assert tree.destinations == tuple(v for v in range(2**n) if v != source)
        assert trees[1].edges == trees[2].edges == trees[3].edges


def test_broadcast_2_rule_is_the_circuit_of_figure_6_5():
    """g_j is the AND of the complements of bits j to n - 1 of the relative source address; n = 1 to 6 exhaustive."""
    for n in range(1, 7):
        for relative in range(2**n):
            expected = [j for j in range(n) if not any(relative >> p & 1 for p in range(j, n))]
            assert list(broadcast_2_step(n, relative)) == list(source_step(GREEDY, n, relative, 0)) == expected


def test_control_rule_is_figure_7_5_exhaustive_n5():
    """All control vectors and fault vectors of a 5-cube against the literal loops."""
    for control, faulty in itertools.product(range(32), repeat=2):
        bits = [[word >> j & 1 for j in range(5)] for word in (control, faulty)]
        expected = [(j, sum(bit << b for b, bit in enumerate(new))) for j, new in broadcast_f3_literal(5, *bits)]
        assert list(control_step(range(5), control, faulty)) == expected


# --- chapter 7 ---


@pytest.mark.parametrize("n", [3, 4])
def test_theorem_7_1_lemmas_7_1_7_2_exhaustive(n):
    """All rule-obeying fault sets, sources, destinations: UNICAST.F1 is shortest; BROADCAST.F3 takes its path, once."""
    for faults in all_fault_sets(n):
        healthy = [v for v in range(2**n) if v not in faults]
        for source in healthy:
            broadcast = broadcast_f3(n, source, faults)
            entered = [end for _, end in broadcast.edges]
            assert len(set(entered)) == len(entered)
            for destination in healthy:
                path = unicast_f1(n, source, destination, faults).path(destination)
                assert path == unicast_f1_literal(n, source, destination, faults)
                assert len(path) - 1 == distance(source, destination)
                assert not faults & set(path)
                assert broadcast.path(destination) == path


@pytest.mark.parametrize("n", [3, 4])
def test_theorem_7_2_broadcast_optimal_exhaustive(n):
    """All rule-obeying fault sets and sources: every fault-free node, least time, least traffic."""
    for faults in all_fault_sets(n):
        healthy = [v for v in range(2**n) if v not in faults]
        for source in healthy:
            tree = broadcast_f3(n, source, faults)
            verify_tree(tree)
            tree.check()
            assert tree.traffic == len(healthy) - 1
            assert tree.time == max(distance(source, v) for v in healthy)
            assert tree.destinations == tree.delivered == tuple(v for v in healthy if v != source)


@pytest.mark.core
def test_theorem_7_3_multicast_exhaustive_n3():
    """All fault sets that obey the rule, all sources, all destination sets: a multicast tree, decided literally."""
    for source, destinations, faults in every_request(3):
        tree = multicast_f1(3, source, destinations, faults)
        verify_tree(tree)
        assert_decisions(tree)
        tree.check()


def test_theorem_7_3_multicast_all_fault_sets_n4():
    """All fault sets of a 4-cube that obey the rule, all sources, three random destination sets each."""
    choose = random.Random(7301)
    for faults in all_fault_sets(4):
        healthy = [v for v in range(16) if v not in faults]
        for source in healthy:
            for _ in range(3):
                tree = multicast_f1(4, source, choose.sample(healthy, choose.randint(1, len(healthy))), faults)
                verify_tree(tree)
                tree.check()


@pytest.mark.soak
def test_theorem_7_3_multicast_exhaustive_n4():
    """All fault sets of a 4-cube that obey the rule, source 0, all destination sets."""
    for faults in all_fault_sets(4):
        if 0 not in faults:
            for destinations in subsets(v for v in range(1, 16) if v not in faults):
                tree = multicast_f1(4, 0, destinations, faults)
                assert not tree.undeliverable
                verify_tree(tree)


def test_multicast_f1_to_two_is_optimal_exhaustive_n4():
    """Two destinations, all fault sets: no feasible tree of shortest paths has less traffic."""
    for faults in all_fault_sets(4):
        if 0 in faults:
            continue
        best = cheapest_by_closed_sets(4, faults)
        for pair in itertools.combinations((v for v in range(1, 16) if v not in faults), 2):
            assert multicast_f1(4, 0, pair, faults).traffic == best[1 | 1 << pair[0] | 1 << pair[1]]


@SEARCH
@given(requests())
def test_theorems_7_1_to_7_3_by_search(request):
    """n = 5 to 8, fault sets that obey the rule: unicast, broadcast and multicast as the theorems say."""
    n, source, destinations, faults = request
    broadcast = broadcast_f3(n, source, faults)
    verify_tree(broadcast)
    assert broadcast.traffic == 2**n - len(faults) - 1
    for destination in destinations:
        path = unicast_f1(n, source, destination, faults).path(destination)
        assert path == unicast_f1_literal(n, source, destination, faults) == broadcast.path(destination)
        assert len(path) - 1 == distance(source, destination)
    tree = multicast_f1(n, source, destinations, faults)
    verify_tree(tree)
    assert_decisions(tree)
    tree.check()


# --- what holds for every fault set ---


def test_any_faults_exhaustive_n3():
    """All 255 fault sets: no policy loses a destination silently, enters a faulty node or reports one it reached."""
    for faults in map(frozenset, subsets(range(8), 0)):
        healthy = [v for v in range(8) if v not in faults]
        for source in healthy:
            feasible = {
                v
                for v in healthy
                if v == source
                or cheapest_by_link_sets(frozenset(f ^ source for f in faults))[(v ^ source,)] is not None
            }
            for policy in POLICIES:
                for broadcast in (False, True):
                    tree = route(
                        3, source, () if broadcast else range(8), policy=policy, faults=faults, broadcast=broadcast
                    )
                    tree.check()
                    assert set(tree.delivered) <= feasible
                    assert set(tree.delivered) | set(tree.undeliverable) == set(tree.destinations)
                    if policy == "optimal":
                        assert set(tree.delivered) == feasible & set(tree.destinations)
                    if policy not in ("unicast", "spare"):
                        verify_tree(tree, tree.delivered)


def test_step_functions_agree_with_each_other_exhaustive():
    """A list of one destination splits as a unicast is forwarded; n = 5, all addresses and fault vectors."""
    for relative, faulty in itertools.product(range(32), repeat=2):
        split = multicast_step(5, (relative,), faulty)
        dimension = unicast_step(relative, faulty)
        assert [choice.dimension for choice in split.choices] == ([] if dimension is None else [dimension])
        assert split.local == (relative == 0)
        assert split.left_over == ((0,) if relative and dimension is None else ())


def test_unicast_1_is_multicast_1_with_one_destination():
    """All pairs of a 5-cube: the same path."""
    for source, destination in itertools.product(range(32), repeat=2):
        one, other = unicast_1(5, source, destination), multicast_1(5, source, (destination,))
        assert one.nodes == other.nodes and one.delivered == other.delivered == (destination,)


def test_ordered_multicast_delivers_as_greedy_does_exhaustive_n3():
    """All rule-obeying faults, sources, destination sets: the ordered policy gives a multicast tree as well."""
    for source, destinations, faults in every_request(3):
        tree = multicast_by("ordered", 3, source, destinations, faults)
        verify_tree(tree)
        tree.check()
