"""The worked examples, tables and figures of Lan 1988, chapters 4 to 7, at algorithm level."""

from __future__ import annotations

import itertools
import random

import numpy as np
import pytest

from cubecast.golden.common.algorithms.address import nearest_common_ancestor, nth_dimension, path_by_dimensions
from cubecast.golden.common.algorithms.faults import (
    HAMMING_BOUNDS,
    fault_vector,
    fault_vectors,
    hamming_bound,
    obeys_rule,
    random_faults,
    random_obeying_faults,
    violations,
)
from cubecast.golden.multicast.algorithms.broadcast import broadcast_1, broadcast_2, broadcast_3, broadcast_f3
from cubecast.golden.multicast.algorithms.multicast import (
    Choice,
    column_sums,
    multicast_1,
    multicast_f1,
    multicast_step,
)
from cubecast.golden.multicast.algorithms.optimal import optimal_multicast
from cubecast.golden.multicast.algorithms.route import POLICIES, route
from cubecast.golden.multicast.algorithms.small import one_to_two
from cubecast.golden.multicast.algorithms.tree import Decision
from cubecast.golden.multicast.algorithms.unicast import multiple_unicast, unicast_1, unicast_f1

NODE = 0b00110
DESTINATIONS = (7, 20, 29, 18, 1, 0)

# the rows as tables 5.1 and 5.2 print them
ACTUAL = (0b00111, 0b10100, 0b11101, 0b10010, 0b00001, 0b00000)
RELATIVE = (0b00001, 0b10010, 0b11011, 0b10100, 0b00111, 0b00110)
# the vectors node 0000 of a fault-free 4-cube and its successors send, figure 4.7
CONTROL = {
    0b0001: 0b1110,
    0b0010: 0b1100,
    0b0011: 0b1100,
    0b0100: 0b1000,
    0b0101: 0b1000,
    0b0110: 0b1000,
    0b0111: 0b1000,
    0b1000: 0b0000,
    0b1001: 0b0000,
    0b1010: 0b0000,
    0b1011: 0b0000,
    0b1100: 0b0000,
    0b1101: 0b0000,
    0b1110: 0b0000,
    0b1111: 0b0000,
}


def arrivals(tree):
    """Return the decision by which each node of a tree got the message."""
    return {decision.to: decision for decisions in tree.nodes.values() for decision in decisions}


def test_function_w_section_4_3():
    """The three values the text gives, and what lies outside the range."""
    assert nth_dimension(1, 0b01001) == 0
    assert nth_dimension(2, 0b01001) == 3
    assert nth_dimension(3, 0b01001) == -1
    assert nth_dimension(1, 0b00000) == -1
    assert nth_dimension(0, 0b01001) == -1


def test_figure_4_1_shared_link():
    """From 000 to 011 and 101: four links as two separate paths, three when the first is shared."""
    separate = {*itertools.pairwise((0b000, 0b010, 0b011))} | {(0b000, 0b100), (0b100, 0b101)}
    shared = multicast_1(3, 0b000, (0b011, 0b101))
    assert len(separate) == 4
    assert set(shared.edges) == {(0b000, 0b001), (0b001, 0b011), (0b001, 0b101)}
    assert (shared.traffic, shared.time) == (3, 2)
    assert one_to_two(3, 0b000, 0b011, 0b101).traffic == 3
    assert multiple_unicast(3, 0b000, (0b011, 0b101)).traffic == 4


def test_figure_4_7_broadcast_tree_with_control_vectors():
    """BROADCAST.3 from 0000 in a 4-cube: every node's control vector and parent."""
    tree = broadcast_3(4, 0)
    got = arrivals(tree)
    assert {node: decision.control for node, decision in got.items()} == CONTROL
    for start, end in tree.edges:
        assert start == end & ~(1 << (end.bit_length() - 1))
    assert (tree.traffic, tree.time) == (15, 4)
    assert tree.delivered == tuple(range(1, 16))
    assert set(broadcast_2(4, 0).edges) == set(tree.edges) == set(broadcast_f3(4, 0).edges)


def test_figure_4_4_broadcast_by_weight():
    """BROADCAST.1 sends below the dimension of arrival: the mirror image of BROADCAST.2."""
    tree = broadcast_1(4, 0)
    for start, end in tree.edges:
        assert start == end & (end - 1)
    assert [decision.dimension for decision in tree.nodes[0b1000]] == [0, 1, 2]
    assert (tree.traffic, tree.time) == (15, 4)


def test_tables_5_1_and_5_2_reference_array():
    """Relative addresses and column sums at node 00110."""
    assert DESTINATIONS == ACTUAL
    rows = tuple(destination ^ NODE for destination in DESTINATIONS)
    assert rows == RELATIVE
    assert [row.bit_count() for row in rows] == [1, 2, 4, 2, 3, 2]
    assert column_sums(5, rows) == (3, 4, 3, 1, 3)


def test_tables_5_3_and_5_4_runs_of_the_loop():
    """Column sums before each run, the dimension chosen and the rows taken (counted from 0)."""
    split = multicast_step(5, RELATIVE)
    assert split.choices == (
        Choice(1, (1, 2, 4, 5), (3, 4, 3, 1, 3)),
        Choice(0, (0,), (1, 0, 1, 0, 1)),
        Choice(2, (3,), (0, 0, 1, 0, 1)),
    )
    assert (split.local, split.left_over) == (False, ())


def test_figure_5_2_multicast_tree():
    """Subtrees of nodes 00110 and 00100 and the complete tree, with the lowest dimension winning ties."""
    tree = multicast_1(5, NODE, DESTINATIONS)
    assert tree.nodes[0b00110] == (
        Decision(1, 4, (20, 29, 1, 0)),
        Decision(0, 7, (7,)),
        Decision(2, 2, (18,)),
    )
    assert tree.nodes[0b00100] == (Decision(0, 5, (29, 1)), Decision(2, 0, (0,)), Decision(4, 20, (20,)))
    assert tree.edges == ((6, 4), (6, 7), (6, 2), (4, 5), (4, 0), (4, 20), (2, 18), (5, 1), (5, 13), (13, 29))
    assert (tree.traffic, tree.time) == (10, 4)
    assert tree.delivered == tuple(sorted(DESTINATIONS))
    tree.check()


def test_section_6_2_messages():
    """The headers node 6 sends to nodes 4, 7 and 2 (k and destination list)."""
    tree = multicast_1(5, NODE, DESTINATIONS)
    headers = {decision.to: [len(decision.destinations), *decision.destinations] for decision in tree.nodes[NODE]}
    assert headers == {4: [4, 20, 29, 1, 0], 7: [1, 7], 2: [1, 18]}


def test_section_5_4_mean_distance():
    """Mean distance 3.05 in a 6-cube; from 21 destinations on, a broadcast costs less than multiple one-to-one."""
    everybody = multiple_unicast(6, 0, range(1, 64))
    mean = everybody.traffic / 63
    assert mean == pytest.approx(6 * 2**5 / (2**6 - 1))
    assert round(mean, 2) == 3.05
    flood = broadcast_2(6, 0).traffic
    assert flood == 63
    assert 20 * mean < flood < 21 * mean


def test_figure_7_1_two_faulty_neighbours():
    """Nodes 1, 2 and 11 faulty: both detours of the text are feasible, no path of length 2 is."""
    faults = frozenset({1, 2, 11})
    assert violations(4, faults) == (0, 3, 9, 10)
    assert not obeys_rule(4, faults)
    for path in ((0, 8, 10, 14, 15, 7, 3), (0, 4, 5, 7, 3)):
        assert not faults & set(path)
        assert all((a ^ b).bit_count() == 1 for a, b in itertools.pairwise(path))
    distances = {0: 0}
    for node in (queue := [0]):
        for j in range(4):
            if (to := node ^ 1 << j) not in distances and to not in faults:
                distances[to] = distances[node] + 1
                queue.append(to)
    assert distances[3] == 4
    tree = unicast_f1(4, 0, 3, faults)
    assert (tree.undeliverable, tree.traffic) == ((3,), 0)


def test_hamming_bounds_section_7_2():
    """The eight printed values, and the rule itself on the fault set of n - 1 dimensions."""
    assert [hamming_bound(n) for n in range(3, 11)] == [2, 3, 5, 9, 16, 28, 51, 93]
    assert [HAMMING_BOUNDS[n] for n in range(3, 11)] == [2, 3, 5, 9, 16, 28, 51, 93]
    assert obeys_rule(4, range(8))
    assert not obeys_rule(4, range(9))


def test_fault_vectors():
    """A fault vector has a 1 in each dimension whose neighbour is faulty."""
    assert fault_vector(4, 0, frozenset({1, 2, 11})) == 0b0011
    vectors = fault_vectors(3, {0b011})
    assert vectors == {0: 0, 1: 0b010, 2: 0b001, 4: 0, 5: 0, 6: 0, 7: 0b100}


def test_figure_7_4_unicast_around_faults():
    """(a) In a 2-cube, (b) in a 4-cube with 0011 and 0111 faulty: dimensions 0, 2, 3, 1."""
    assert unicast_f1(2, 0b00, 0b11, {0b01}).path(0b11) == (0b00, 0b10, 0b11)
    tree = unicast_f1(4, 0b0000, 0b1111, {0b0011, 0b0111})
    assert tree.path(0b1111) == (0b0000, 0b0001, 0b0101, 0b1101, 0b1111)
    assert unicast_1(4, 0b0000, 0b1111).path(0b1111) == (0b0000, 0b0001, 0b0011, 0b0111, 0b1111)
    assert unicast_1(4, 0b0000, 0b1111).path(0b1111) == path_by_dimensions(0b0000, 0b1111)


def test_figure_7_6_broadcast_around_faults():
    """Nodes 0011, 0111, 1000, 1100 faulty: exactly three control vectors differ from figure 4.7."""
    faults = {0b0011, 0b0111, 0b1000, 0b1100}
    assert obeys_rule(4, faults)
    tree = broadcast_f3(4, 0, faults)
    got = {node: decision.control for node, decision in arrivals(tree).items()}
    assert set(got) == set(range(1, 16)) - faults
    changed = {node: vector for node, vector in got.items() if vector != CONTROL[node]}
    assert changed == {0b0101: 0b1010, 0b1001: 0b0010, 0b1101: 0b0010}
    assert (0b1101, 0b1111) in tree.edges
    assert (tree.traffic, tree.time, tree.undeliverable) == (11, 4, ())
    tree.check()


def test_table_7_1_and_figure_7_8_multicast_around_a_fault():
    """Node 00100 faulty: column 1 does not count, then dimensions 0, 2 and 4 are taken."""
    tree = multicast_f1(5, NODE, DESTINATIONS, {4})
    split = multicast_step(5, RELATIVE, 0b00010)
    assert split.choices[0].sums == (3, 0, 3, 1, 3)
    # figure 7.8(b): 7 for {7, 29, 1}, 2 for {18, 0}, 22 for {20}
    assert {decision.to: set(decision.destinations) for decision in tree.nodes[NODE]} == {
        0b00111: {7, 1, 29},
        0b00010: {0, 18},
        0b10110: {20},
    }
    assert [decision.dimension for decision in tree.nodes[NODE]] == [0, 2, 4]
    assert (tree.traffic, tree.time) == (10, 4)
    assert optimal_multicast(5, NODE, DESTINATIONS).traffic == 9
    assert optimal_multicast(5, NODE, DESTINATIONS, {4}).traffic == 9
    tree.check()


def test_figure_7_8_with_node_00010_faulty():
    """With node 00010 faulty destination 10010 is reached through 10110 and the tree has as many links."""
    tree = multicast_f1(5, NODE, DESTINATIONS, {2})
    assert tree.path(18) == (6, 0b10110, 18)
    assert tree.traffic == multicast_1(5, NODE, DESTINATIONS).traffic == 10


@pytest.mark.parametrize("policy", POLICIES)
def test_every_policy_routes_the_example(policy):
    """Every policy delivers to all six destinations; none beats the optimum of 9."""
    tree = route(5, NODE, DESTINATIONS, policy=policy)
    tree.check()
    assert tree.delivered == tuple(sorted(DESTINATIONS)) and not tree.undeliverable
    assert tree.traffic >= 9
    assert (tree.traffic == 9) <= (policy in ("optimal", "ordered"))


@pytest.mark.parametrize("make", [random.Random, np.random.default_rng], ids=["random", "numpy"])
def test_random_fault_sets_repeat_with_their_seed(make):
    """Both kinds of generator give sets of the asked size, the same ones for the same seed."""
    first = random_faults(6, 5, make(1))
    assert len(first) == 5 and first == random_faults(6, 5, make(1))
    assert all(type(node) is int for node in first)
    obeying = random_obeying_faults(6, 3, make(2))
    assert len(obeying) == 3 and obeys_rule(6, obeying)
    with pytest.raises(
        ValueError, match=r"^count must allow a fault set that obeys the rule, not 7 \(none in 5 tries\)$"
    ):
        random_obeying_faults(3, 7, make(3), tries=5)


def test_nearest_common_ancestor_of_the_example():
    """The common ancestor of 0 and 18 seen from 6 is 2."""
    assert nearest_common_ancestor(6, (0, 18)) == 2
    with pytest.raises(ValueError, match=r"^nodes must hold at least one address, not none$"):
        nearest_common_ancestor(6, ())
