"""The way back: everybody who took part gets the result once, over good links, on a shortest way."""

from __future__ import annotations

import itertools
import random

import pytest

from cubecast.golden.collective.algorithms.merge_stages import plan_merge
from cubecast.golden.collective.algorithms.result_spread import BROADCAST, SPREAD, result_mode, spread, spread_steps
from tests.collective.tree_cases import all_links, random_plans


def distances(plan):
    """Return how many good links each node is from the sink, by relaxing till nothing changes."""
    far = {plan.tree.sink: 0}
    while True:
        more = dict(far)
        for node, steps in far.items():
            for j in range(plan.tree.dim):
                if not plan.words[node] >> j & 1:
                    end = node ^ 1 << j
                    more[end] = min(more.get(end, steps + 1), steps + 1)
        if more == far:
            return far
        far = more


def check_spread(plan):
    """Each node but the sink has one parent, one step closer, behind a good link; nobody is left out."""
    tree, far = spread(plan), distances(plan)
    assert tree.sink == plan.tree.sink
    assert set(tree.parents) == set(plan.members) - {tree.sink} and set(tree.children) == set(plan.members)
    assert sorted((node, child) for node, ends in tree.children.items() for child in ends) == sorted(
        (parent, node) for node, parent in tree.parents.items()
    )
    for node, parent in tree.parents.items():
        assert (node ^ parent).bit_count() == 1 and not plan.words[parent] & (node ^ parent)
        assert far[parent] + 1 == far[node]
    for node, ends in tree.children.items():
        assert [node ^ end for end in ends] == sorted(node ^ end for end in ends)
        assert tree.mask(node) == sum(node ^ end for end in ends)
    assert spread_steps(plan) == tree.steps == max(far.values())
    assert result_mode(plan) == (BROADCAST if plan.words == (0,) * len(plan.words) else SPREAD)


def test_by_hand():
    """Figure 16: links 100-110 and 100-000 and node 111 are faulty; node 100 gets the result from 101."""
    tree = spread(plan_merge(3, [(0b100, 0b110), (0b100, 0b000)], [0b111]))
    assert tree.sink == 1
    assert tree.children == {1: (0, 3, 5), 0: (2,), 3: (), 5: (4,), 2: (6,), 4: (), 6: ()}
    assert tree.parents == {0: 1, 3: 1, 5: 1, 2: 0, 4: 5, 6: 2}
    assert tree.steps == 3


def test_without_faults_it_is_a_binomial_tree():
    """Node 0 passes the result on in all dimensions, every other node in those above its highest one: n steps."""
    for n in range(1, 7):
        tree = spread(plan_merge(n))
        assert tree.steps == n
        for node in range(2**n):
            assert tree.mask(node) == 2**n - (1 << node.bit_length())


def test_a_detour_makes_it_longer():
    """Only its link to node 3 is left to node 1: four steps at n = 3."""
    links = [(0, 1), (2, 3), (1, 5)]
    plan = plan_merge(3, links)
    assert plan.tree.sink == 4 and spread_steps(plan) == 4
    assert spread(plan).parents[1] == 3
    check_spread(plan)


def test_all_patterns_of_up_to_3_links_at_n_3():
    """Exhaustive; there is a sink every time."""
    for count in range(4):
        for links in itertools.combinations(all_links(3), count):
            check_spread(plan_merge(3, links))


@pytest.mark.parametrize("n", [1, 2, 3, 4, 5])
def test_random_patterns(n):
    """Links and nodes."""
    generator = random.Random(n)
    for plan, _ in random_plans(n, generator, 60):
        check_spread(plan)


def test_other_schemes_are_refused():
    """They may lose messages."""
    with pytest.raises(ValueError, match="scheme must be repaired, not printed"):
        spread(plan_merge(2, scheme="printed"))
