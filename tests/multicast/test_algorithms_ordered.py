"""The ordered policy: what makes one or two lanes enough, and what it costs."""

from __future__ import annotations

import itertools
import random

import pytest
from hypothesis import given

from cubecast.golden.multicast.algorithms.broadcast import broadcast_by, control_step
from cubecast.golden.multicast.algorithms.multicast import (
    Choice,
    multicast_by,
    multicast_step,
    policy_step,
)
from cubecast.golden.multicast.algorithms.policy import POLICIES
from tests.harness.search import search
from tests.multicast.algorithms_reference import all_fault_sets, requests, turns, verify_tree

ORDERED = POLICIES["ordered"]
SEARCH = search(200)


def most_turns(tree):
    """Return the largest number of turns on any path of a tree."""
    return max(turns(tree.path(node)) for node in tree.nodes)


def test_turns():
    """A turn is a step that clears a bit after one that set a bit."""
    assert turns((0b011, 0b001, 0b000, 0b100)) == 0
    assert turns((0b001, 0b011, 0b010)) == 1
    assert turns((0b0101, 0b0111, 0b0011, 0b1011, 0b1001)) == 2


def test_eligible_columns():
    """A row with a bit to clear votes only for such columns; other rows vote for all useful ones."""
    # at node 001: destination 110 may only clear bit 0, destination 011 only sets bit 1
    split = policy_step(ORDERED, 3, (0b111, 0b010), 0b001)
    assert split.choices == (Choice(0, (0,), (1, 1, 0)), Choice(1, (1,), (0, 1, 0)))
    assert multicast_step(3, (0b111, 0b010)).choices == (Choice(1, (0, 1), (1, 2, 1)),)
    # dimension 0 faulty: any fault-free useful dimension
    assert policy_step(ORDERED, 3, (0b111, 0b010), 0b001, 0b001).choices == (Choice(1, (0, 1), (0, 2, 1)),)
    assert policy_step(ORDERED, 3, (0b001, 0b000), 0b001, 0b001).left_over == (0,)


def test_order():
    """Dimensions with a 1 in the address first."""
    assert ORDERED.order(4, 0b1010) == (1, 3, 0, 2)
    assert control_step(ORDERED.order(3, 0b100), 0b111) == ((2, 0b011), (0, 0b010), (1, 0b000))


@pytest.mark.parametrize("n", [3, 4])
def test_unicast_and_broadcast_make_at_most_one_turn_exhaustive(n):
    """All rule-obeying fault sets, all pairs: at most one turn, and none without faults."""
    for faults in all_fault_sets(n):
        healthy = [v for v in range(2**n) if v not in faults]
        allowed = 1 if faults else 0
        for source in healthy:
            broadcast = broadcast_by("ordered", n, source, faults)
            verify_tree(broadcast)
            assert most_turns(broadcast) <= allowed
            for destination in healthy:
                tree = multicast_by("ordered", n, source, (destination,), faults)
                assert turns(tree.path(destination)) <= allowed


def test_multicast_makes_at_most_one_turn_exhaustive_n3():
    """All rule-obeying fault sets, all sources and destination sets of a 3-cube."""
    for faults in all_fault_sets(3):
        healthy = [v for v in range(8) if v not in faults]
        for source in healthy:
            for k in range(1, len(healthy) + 1):
                for destinations in itertools.combinations(healthy, k):
                    assert most_turns(multicast_by("ordered", 3, source, destinations, faults)) <= (1 if faults else 0)


def test_one_turn_happens():
    """The second lane is needed: some path with a fault does turn."""
    assert any(
        most_turns(broadcast_by("ordered", 3, source, faults)) == 1
        for faults in all_fault_sets(3)
        for source in range(8)
        if source not in faults
    )


@SEARCH
@given(requests())
def test_at_most_one_turn_by_search(request):
    """n = 5 to 8, fault sets that obey the rule: a multicast tree, at most one turn, none without faults."""
    n, source, destinations, faults = request
    for tree in (multicast_by("ordered", n, source, destinations, faults), broadcast_by("ordered", n, source, faults)):
        verify_tree(tree)
        tree.check()
        assert most_turns(tree) <= (1 if faults else 0)


def test_cost_against_greedy_n6():
    """Mean traffic in a 6-cube: at most 14 % above greedy for any k, and 0.3 % at k = 62."""
    choose = random.Random(1662)
    extra = {}
    for k in (2, 4, 8, 12, 16, 24, 32, 48, 62):
        pairs = []
        for _ in range(150):
            source, *destinations = choose.sample(range(64), k + 1)
            pairs.append([multicast_by(policy, 6, source, destinations).traffic for policy in ("ordered", "greedy")])
        ordered, greedy = map(sum, zip(*pairs, strict=True))
        extra[k] = ordered / greedy - 1
    assert max(extra.values()) <= 0.14
    assert extra[62] <= 0.003
