"""Communication trees: figures 3 and 12, examples 1 and 2, properties 1 and 2, theorems 1 to 4."""

from __future__ import annotations

import itertools
import math
import random
import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cubecast.golden.collective.algorithms.fault_words import detect
from cubecast.golden.collective.algorithms.sink_tree import (
    ACTIVE,
    IDLE,
    PASSIVE,
    NoSinkError,
    SinkTree,
    all_trees,
    best_tree,
    exhaust,
    find_tree,
)
from tests.collective.tree_cases import all_links, random_faults
from tests.harness.search import search

SEARCH = search(100)


@st.composite
def trees(draw, low=1, high=9):
    """Return any tree."""
    n = draw(st.integers(low, high))
    return SinkTree(n, draw(st.integers(0, 2**n - 1)), tuple(draw(st.permutations(range(n)))))


def literal_role(tree, v, i):
    """Return the role by equations 1 to 3, with r the complement of the sink."""
    r = tree.sink ^ (2**tree.dim - 1)
    differs = [v >> d & 1 != r >> d & 1 for d in tree.order]
    if not all(differs[:i]):
        return IDLE
    return PASSIVE if differs[i] else ACTIVE


def literal_cost(n, words, used_nodes, used, j):
    """Return equation 7, with k over the dimensions not used yet."""
    return sum(words[u ^ 1 << j] >> k & 1 for u in used_nodes for k in range(n) if k not in used)


def literal_find_tree(n, words):
    """Return sink and order as figure 10 finds them, scanning upwards."""
    sink = next(v for v in range(2**n) if words[v] == 0)
    used_nodes, used, order = [sink], [], {}
    for i in range(n - 1, 0, -1):
        free = [j for j in range(n) if j not in used]
        order[i] = min(free, key=lambda j: (literal_cost(n, words, used_nodes, used, j), j))
        used.append(order[i])
        used_nodes += [u ^ 1 << order[i] for u in used_nodes]
    order[0] = next(j for j in range(n) if j not in used)
    return sink, tuple(order[i] for i in range(n))


def test_figure_3_and_example_1():
    """Both trees of figure 3, with the roles of node 110 in the second."""
    a, b = SinkTree(3, 0b000, (0, 1, 2)), SinkTree(3, 0b010, (1, 2, 0))
    assert [a.active(i) for i in range(3)] == [(1, 3, 5, 7), (2, 6), (4,)]
    assert [b.active(i) for i in range(3)] == [(0, 1, 4, 5), (6, 7), (3,)]
    assert [b.role(0b110, i) for i in range(3)] == [PASSIVE, ACTIVE, IDLE]
    assert (b.parent(0b110), b.parent(0b101), b.parent(0b011)) == (0b010, 0b111, 0b010)
    assert b.active_neighbours(0b101) == (0b001, 0b100)


def test_figure_12_and_example_2():
    """Costs and choices step by step; the tree has no faulty link."""
    words = detect(3, [(1, 3), (4, 5), (5, 7)])
    tree = find_tree(3, words)
    assert (tree.sink, tree.order) == (0, (2, 0, 1))
    assert tree.costs == ({0: 1, 1: 0, 2: 1}, {0: 0, 2: 1})
    assert tree.faulty_links(words) == ()
    # with the sum of equation 7 as printed, over used dimensions, the first cost would be 0 instead of 1
    assert sum(words[0 ^ 1] >> k & 1 for k in ()) == 0 != tree.costs[0][0]


@pytest.mark.parametrize("n", range(1, 5))
def test_property_1(n):
    """n! 2^n trees, all different as directed trees; half as many sets of links."""
    found = list(all_trees(n))
    assert len(found) == math.factorial(n) * 2**n
    assert len({tuple(tree.parent(v) if v != tree.sink else -1 for v in range(2**n)) for tree in found}) == len(found)
    assert len({tree.links for tree in found}) == len(found) // 2
    for tree in found[:: max(1, len(found) // 20)]:
        twin = SinkTree(n, tree.sink ^ 1 << tree.order[-1], tree.order)
        assert twin != tree and twin.links == tree.links


@given(trees())
@SEARCH
def test_property_2(tree):
    """2^n - 1 links, 2^(n-i-1) of them in stage i, that lead everybody to the sink."""
    assert len(tree.links) == 2**tree.dim - 1
    for node in range(2**tree.dim):
        hops = 0
        while node != tree.sink:
            node, hops = tree.parent(node), hops + 1
        assert hops <= tree.dim


@given(trees(high=6))
@SEARCH
def test_theorems_1_and_2_and_the_roles(tree):
    """Roles as in equations 1 to 3; n-i-1 active neighbours; 2^(n-i-1) active nodes."""
    n = tree.dim
    for i in range(n):
        active = tuple(v for v in range(2**n) if literal_role(tree, v, i) == ACTIVE)
        assert tree.active(i) == active and len(active) == 2 ** (n - i - 1)
        for v in range(2**n):
            assert tree.role(v, i) == literal_role(tree, v, i)
        for v in active:
            near = {u for u in active if (u ^ v).bit_count() == 1}
            assert set(tree.active_neighbours(v)) == near and len(near) == n - i - 1
            assert literal_role(tree, tree.parent(v), i) == PASSIVE


@pytest.mark.parametrize("n", [1, 2, 3])
def test_theorem_3_exhaustive(n):
    """Fewer than 2^(n-1) faulty links leave a sink."""
    for count in range(2 ** (n - 1)):
        for links in itertools.combinations(all_links(n), count):
            find_tree(n, detect(n, links))


@given(st.integers(2, 8), st.randoms(use_true_random=False))
@SEARCH
def test_theorem_3_and_the_choice_of_dimensions(n, generator):
    """The same above; and every tree is the one of figure 10 done literally."""
    links, _ = random_faults(n, generator, 2 ** (n - 1) - 1, 0)
    words = detect(n, links)
    tree = find_tree(n, words)
    assert (tree.sink, tree.order) == literal_find_tree(n, words)
    assert [len(cost) for cost in tree.costs] == list(range(n, 1, -1))


@pytest.mark.parametrize("n", range(1, 7))
def test_no_sink_says_why(n):
    """2^(n-1) faulty links can be enough: all of one dimension."""
    words = detect(n, [(v, v ^ 1) for v in range(0, 2**n, 2)])
    with pytest.raises(NoSinkError, match=f"whose {n} links and neighbours are all good, not a fault at every node"):
        find_tree(n, words)


def test_a_sink_above_the_bound():
    """Many more faulty links leave a sink if they spare one node."""
    links = [link for link in all_links(4) if 5 not in link]
    tree = find_tree(4, detect(4, links))
    assert tree.sink == 5 and len(links) == 28


@pytest.mark.parametrize("n", range(1, 17))
def test_theorem_4(n):
    """Equation 8 sums up what the loops of FIND_TREE do."""
    work = sum((i + 1) * 2 ** (n - i - 1) * (i + 1) + 2 ** (n - i - 1) for i in range(1, n))
    assert work == 6 * 2**n - n * n - 4 * n - 7


def test_find_tree_at_16_dimensions():
    """With 3,000 faulty links, in far less than five seconds of one core."""
    generator = random.Random(16)
    links = [(v, v ^ 1 << generator.randrange(16)) for v in generator.sample(range(1, 1 << 16), 3000)]
    started = time.process_time()
    tree = find_tree(16, detect(16, links))
    assert time.process_time() - started < 5
    assert sorted(tree.order) == list(range(16))


def test_exhaust():
    """All fault-free trees, which include the one of example 2; none for 393 of the 495 patterns of 4 links."""
    words = detect(3, [(1, 3), (4, 5), (5, 7)])
    found = list(exhaust(3, words))
    assert find_tree(3, words) in found
    assert all(not tree.links & {(1, 3), (4, 5), (5, 7)} for tree in found)
    sets = [tree.links for tree in all_trees(3)]
    patterns = [set(links) for links in itertools.combinations(all_links(3), 4)]
    assert len(patterns) == 495
    assert sum(all(tree & links for tree in sets) for links in patterns) == 393


def test_find_tree_is_a_heuristic():
    """It misses a tree with fewer faulty links in 44 of the 220 patterns of 3 links."""
    worse = 0
    sets = [tree.links for tree in all_trees(3)]
    for links in itertools.combinations(all_links(3), 3):
        words = detect(3, links)
        found = find_tree(3, words)
        assert len(found.faulty_links(words)) == len(found.links & set(links))
        worse += len(found.faulty_links(words)) > min(len(tree & set(links)) for tree in sets)
    assert worse == 44


def test_best_tree():
    """It is never worse than what FIND_TREE finds; with no fault-free tree EXHAUST is empty and this is not."""
    generator = random.Random(5)
    for _ in range(10):
        links, nodes = random_faults(3, generator, 4)
        words = detect(3, links, nodes)
        best = len(best_tree(3, words).faulty_links(words))
        assert (best == 0) == any(True for _ in exhaust(3, words))
        try:
            assert best <= len(find_tree(3, words).faulty_links(words))
        except NoSinkError:
            assert all(words)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: SinkTree(3, 8, (0, 1, 2)), "sink must be an integer from 0 to 7, not 8"),
        (lambda: SinkTree(3, 0, (0, 1, 1)), "order must hold each dimension from 0 to 2 once, not (0, 1, 1)"),
        (lambda: SinkTree(2, 1, (0, 1)).parent(1), "node must be another than the sink, not 1"),
        (lambda: next(all_trees(7)), "dim must be an integer from 1 to 6, not 7"),
        (lambda: find_tree(2, (0, 1)), "words must be 4, one for each node, not 2"),
        (lambda: find_tree(0, ()), "dim must be an integer from 1 to 20, not 0"),
    ],
)
def test_messages(call, message):
    """One line with name, value and what is allowed."""
    with pytest.raises(ValueError) as caught:
        call()
    assert str(caught.value) == message
