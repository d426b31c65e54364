"""Algorithm DETECT, exclusion, detours and uniform data distribution."""

from __future__ import annotations

import itertools
import random

import pytest

from cubecast.golden.collective.algorithms.fault_words import (
    check_words,
    connected_to,
    detect,
    detect_steps,
    distribute,
    exclude,
    isolated,
    shortest_path,
)
from cubecast.golden.collective.algorithms.sink_tree import find_tree
from tests.collective.tree_cases import all_links, random_faults


def exchange(n, links, nodes):
    """Return fault words by sending the test messages of DETECT one by one."""
    broken = {frozenset(link) for link in links}
    words = []
    for node in range(2**n):
        heard = [
            node not in nodes and node ^ 1 << i not in nodes and frozenset((node, node ^ 1 << i)) not in broken
            for i in range(n)
        ]
        words.append(sum(1 << i for i in range(n) if not heard[i]))
    return tuple(words)


def test_figure_9():
    """The words of figure 9; node 101 has its two faults in dimensions 0 and 1."""
    words = detect(3, [(0b001, 0b011), (0b101, 0b100), (0b101, 0b111)])
    assert words == (0b000, 0b010, 0b000, 0b010, 0b001, 0b011, 0b000, 0b010)


def test_figure_9_is_the_only_pattern_that_fits():
    """Its three links follow from the word of node 101, the costs and the tree that example 2 gives."""
    fitting = []
    for links in itertools.combinations(all_links(3), 3):
        words = detect(3, links)
        if words[0] == 0 and words[0b101] == 0b011:
            tree = find_tree(3, words)
            if tree.order == (2, 0, 1) and tree.costs == ({0: 1, 1: 0, 2: 1}, {0: 0, 2: 1}):
                fitting.append(links)
    assert fitting == [((1, 3), (4, 5), (5, 7))]


@pytest.mark.parametrize("n", range(1, 8))
def test_detect_equals_the_exchange_of_test_messages(n):
    """Link and node faults; both ends of a link always agree."""
    generator = random.Random(n)
    for _ in range(30):
        links, nodes = random_faults(n, generator)
        words = detect(n, links, nodes)
        assert words == exchange(n, links, nodes)
        assert check_words(n, words) == words
        assert set(nodes) <= isolated(n, words)


def test_detect_takes_a_step_for_each_dimension():
    """Two when only one end of a link may send at a time."""
    assert (detect_steps(5), detect_steps(5, full_duplex=False)) == (5, 10)


def test_connection_and_exclusion():
    """Four links cut off {000, 100}, none of them isolated; both are then treated as faulty."""
    words = detect(3, [(0, 1), (4, 5), (0, 2), (4, 6)])
    assert isolated(3, words) == frozenset()
    assert connected_to(3, 3, words) == {1, 2, 3, 5, 6, 7}
    assert connected_to(0, 3, words) == {0, 4}
    assert exclude(3, words, (0, 4)) == (7, 1, 2, 0, 7, 1, 2, 0)
    assert exclude(2, (0, 0, 0, 0), (3,)) == (0, 2, 1, 3)


def test_shortest_path():
    """Lowest dimension first among shortest ways; longer round faults; none to what is cut off."""
    assert shortest_path(0, 7, 3, (0,) * 8) == (0, 1, 3, 7)
    assert shortest_path(0, 0, 3, (0,) * 8) == (0,)
    words = detect(3, [(0, 1), (2, 3)])
    assert shortest_path(0, 1, 3, words) == (0, 4, 5, 1)
    assert shortest_path(0, 3, 3, words) == (0, 2, 6, 7, 3)
    assert shortest_path(0, 7, 3, detect(3, nodes=[7])) is None


@pytest.mark.parametrize("n", range(1, 7))
def test_distribution_is_uniform(n):
    """Everything is given out once, in shares that differ by one at most."""
    for length in (0, 1, 7, 2**n, 1000):
        for nodes in (range(2**n), range(0, 2**n, 2), (2**n - 1,)):
            shares = distribute(length, nodes)
            assert list(shares) == sorted(nodes)
            assert [item for share in shares.values() for item in share] == list(range(length))
            sizes = {len(share) for share in shares.values()}
            assert max(sizes) - min(sizes) <= 1


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: detect(0), "dim must be an integer from 1 to 20, not 0"),
        (lambda: detect(21), "dim must be an integer from 1 to 20, not 21"),
        (lambda: detect(3, [(0, 3)]), "link must join neighbours, not 0 and 3"),
        (lambda: detect(3, [(5, 5)]), "link must join neighbours, not 5 and 5"),
        (lambda: detect(3, [(0, 1, 3)]), "link must have two ends, not 3"),
        (lambda: detect(3, [(0, 8)]), "end of a link must be an integer from 0 to 7, not 8"),
        (lambda: detect(3, nodes=[8]), "fault must be an integer from 0 to 7, not 8"),
        (lambda: check_words(2, (0, 0, 0)), "words must be 4, one for each node, not 3"),
        (lambda: check_words(1, (2, 0)), "fault word must be an integer from 0 to 1, not 2"),
        (lambda: check_words(2, (0, 2, 0, 0)), "words must agree on both ends of a link, not differ on 1 and 3"),
        (lambda: distribute(-1, (0,)), f"length must be an integer from 0 to {1 << 62}, not -1"),
        (lambda: distribute(4, ()), "nodes must hold at least one node, not none"),
    ],
)
def test_messages(call, message):
    """One line with name, value and what is allowed."""
    with pytest.raises(ValueError) as caught:
        call()
    assert str(caught.value) == message
