"""The tree object, its check, the route entry and the messages of bad parameters."""

from __future__ import annotations

import json
from dataclasses import replace

import numpy as np
import pytest

from cubecast.golden.common.algorithms.faults import fault_sets, hamming_bound, random_faults
from cubecast.golden.multicast.algorithms.route import POLICIES, SEPARATE_BROADCAST_DIM, route
from cubecast.golden.multicast.algorithms.tree import (
    Decision,
    MulticastTree,
    broadcast_destinations,
    check_request,
    grow,
    tree_of_parents,
)
from cubecast.golden.multicast.algorithms.unicast import multiple_unicast

EXAMPLE = route(3, 0, (3, 5), policy="greedy")


def test_json_of_a_multicast():
    """Exactly the documented keys, plain values, nothing lost in a round trip through JSON text."""
    expected = {
        "dim": 3,
        "source": 0,
        "destinations": [3, 5],
        "policy": "greedy",
        "faults": [],
        "traffic": 3,
        "time": 2,
        "edges": [[0, 1], [1, 3], [1, 5]],
        "nodes": {
            "0": [{"dimension": 0, "to": 1, "destinations": [3, 5]}],
            "1": [
                {"dimension": 1, "to": 3, "destinations": [3]},
                {"dimension": 2, "to": 5, "destinations": [5]},
            ],
            "3": [],
            "5": [],
        },
        "undeliverable": [],
    }
    assert EXAMPLE.to_json() == expected
    assert json.loads(json.dumps(EXAMPLE.to_json())) == expected


def test_a_tree_of_parents_sends_lists_along():
    """Each child gets what is below it, in the order of the header, unless there are to be no lists."""
    request, parents = check_request(3, 0, (5, 3)), {1: 0, 3: 1, 5: 1}
    tree = tree_of_parents(request, "optimal", parents)
    assert tree.nodes == {0: (Decision(0, 1, (5, 3)),), 1: (Decision(1, 3, (3,)), Decision(2, 5, (5,))), 3: (), 5: ()}
    bare = tree_of_parents(request, "optimal", parents, lists=False)
    assert {one.destinations for decisions in bare.nodes.values() for one in decisions} == {()}


def test_json_of_a_broadcast_has_control_vectors():
    """Broadcasts by control vectors name them; fault sets come sorted."""
    tree = route(2, 0, broadcast=True, faults={2})
    assert tree.to_json()["nodes"] == {
        "0": [{"dimension": 0, "to": 1, "destinations": [], "control": 2}],
        "1": [{"dimension": 1, "to": 3, "destinations": [], "control": 0}],
        "3": [],
    }
    assert tree.to_json()["destinations"] == [1, 3] and tree.to_json()["faults"] == [2]
    assert "control" not in str(route(2, 0, broadcast=True, policy="optimal").to_json())


def test_duplicates_source_and_numpy_integers():
    """A repeated destination stays in the header but is delivered once; the source delivers on the spot."""
    tree = route(np.int64(3), np.int64(0), np.array([5, 0, 5, 3]))
    assert tree.destinations == (5, 0, 5, 3)
    assert tree.delivered == (0, 3, 5)
    assert tree.nodes[0] == (Decision(0, 1, (5, 5, 3)),)
    assert (tree.traffic, tree.time) == (3, 2)
    json.dumps(tree.to_json())
    for policy in POLICIES:
        tree = route(3, 0, (5, 0, 5, 3), policy=policy)
        tree.check()
        assert tree.delivered == (0, 3, 5)
    assert multiple_unicast(3, 0, (5, 5, 5)).traffic == 2
    only_itself = route(3, 6, (6,))
    assert (only_itself.traffic, only_itself.time, only_itself.delivered) == (0, 0, (6,))


@pytest.mark.parametrize("policy", POLICIES)
def test_faulty_destination_is_undeliverable(policy):
    """A faulty destination is reported, the others arrive."""
    tree = route(3, 0, (3, 7), policy=policy, faults={7})
    tree.check()
    assert (tree.delivered, tree.undeliverable) == ((3,), (7,))


@pytest.mark.parametrize("policy", POLICIES)
@pytest.mark.parametrize("faults", [(), (5,)])
def test_every_policy_broadcasts(policy, faults):
    """A broadcast reaches every fault-free node; all but multiple one-to-one use one link per node."""
    tree = route(4, 3, policy=policy, faults=faults, broadcast=True)
    tree.check()
    assert tree.destinations == tree.delivered == tuple(v for v in range(16) if v != 3 and v not in faults)
    # multiple one-to-one pays the sum of all distances
    assert tree.traffic == (
        sum((v ^ 3).bit_count() for v in tree.delivered) if policy == "unicast" else len(tree.delivered)
    )


@pytest.mark.parametrize("policy", ["greedy", "ordered"])
def test_listed_broadcast_delivers_to_the_list_only(policy):
    """With a list a broadcast visits everybody, carries the list along and delivers to the list."""
    tree = route(3, 1, (7, 2, 4), policy=policy, broadcast=True)
    tree.check()
    assert tree.traffic == 7
    assert tree.delivered == (2, 4, 7)
    assert all(decision.destinations == (7, 2, 4) for decisions in tree.nodes.values() for decision in decisions)


def test_multiple_unicast_counts_links_with_multiplicity():
    """Two messages over one link are two units of traffic, and the tree's check accepts them."""
    tree = route(3, 0, (3, 1, 5), policy="unicast")
    assert tree.edges == ((0, 1), (0, 1), (0, 1), (1, 3), (1, 5))
    assert (tree.traffic, tree.time) == (5, 2)
    assert tree.path(3) == (0, 1, 3)
    tree.check()


def test_path_names_only_what_is_reached():
    """A path exists to nodes of the tree; of separate messages, to destinations."""
    assert EXAMPLE.path(5) == (0, 1, 5) and EXAMPLE.path(0) == (0,)
    with pytest.raises(ValueError, match=r"^node must be one that the message reaches, not 7$"):
        EXAMPLE.path(7)
    with pytest.raises(ValueError, match=r"^node must be a destination, not 1$"):
        route(3, 0, (3, 5), policy="unicast").path(1)


def test_passing_by_is_no_delivery():
    """A destination that only forwards another one's message has not got its own."""

    def step(node, arrival):
        """Send the message at node 1 on to node 3."""
        return [Decision(1, 3, (3,))] if node == 1 else []

    tree = grow(check_request(2, 0, (1, 3)), "unicast", [Decision(0, 1, (3,))], step)
    assert (tree.delivered, tree.undeliverable) == ((3,), (1,))
    tree.check()


def with_nodes(**nodes):
    """Return the example with some nodes' decisions replaced; ``n1=...`` means node 1."""
    return replace(EXAMPLE, nodes=EXAMPLE.nodes | {int(name[1:]): decisions for name, decisions in nodes.items()})


@pytest.mark.parametrize(
    ("tree", "reason"),
    [
        (replace(EXAMPLE, faults=frozenset({1})), "node must be fault-free, not 1"),
        (with_nodes(n3=(Decision(0, 7),), n7=()), "link must lead across its dimension, not 3 to 7 in dimension 0"),
        (with_nodes(n3=(Decision(3, 11),)), "link must lead across its dimension, not 3 to 11 in dimension 3"),
        (with_nodes(n3=(Decision(2, 7),)), "link must lead to a node of the tree, not 3 to 7"),
        (with_nodes(n3=(Decision(1, 1),)), "link must lead away from the source 0, not 3 to 1"),
        (
            with_nodes(n3=(Decision(2, 7, (5,)),), n7=()),
            "sublist must hold only destinations that came in, not (5,) on 3 to 7",
        ),
        (with_nodes(n6=()), "node must be connected to the source, not 6"),
        (
            with_nodes(n3=(Decision(2, 7),), n5=(Decision(1, 7),), n7=()),
            "node must be entered once, not 7, which is entered 2 times",
        ),
        (replace(EXAMPLE, delivered=(5, 3)), "delivered must be ascending, each node once, not (5, 3)"),
        (replace(EXAMPLE, delivered=(3, 3, 5)), "delivered must be ascending, each node once, not (3, 3, 5)"),
        (replace(EXAMPLE, delivered=(1, 3, 5)), "delivered must hold only destinations, not [1]"),
        (replace(EXAMPLE, undeliverable=(6,)), "undeliverable must hold only destinations, not [6]"),
        (replace(EXAMPLE, delivered=(3,)), "destination must be either delivered or undeliverable, not 5"),
        (replace(EXAMPLE, undeliverable=(3,)), "destination must be either delivered or undeliverable, not 3"),
        (
            replace(EXAMPLE, destinations=(3, 5, 6), delivered=(3, 5, 6)),
            "delivered node must be a node of the tree, not 6",
        ),
    ],
)
def test_check_refuses_what_is_no_multicast_tree(tree, reason):
    """Each kind of damage is found and named."""
    EXAMPLE.check()
    with pytest.raises(ValueError) as caught:
        tree.check()
    assert str(caught.value) == reason


@pytest.mark.parametrize(
    ("arguments", "options", "message"),
    [
        ((0, 0, (1,)), {}, "dim must be an integer from 1 to 20, not 0"),
        ((21, 0, (1,)), {}, "dim must be an integer from 1 to 20, not 21"),
        ((True, 0, (1,)), {}, "dim must be an integer from 1 to 20, not True"),
        ((3.0, 0, (1,)), {}, "dim must be an integer from 1 to 20, not 3.0"),
        (("3", 0, (1,)), {}, "dim must be an integer from 1 to 20, not '3'"),
        ((3, 8, (1,)), {}, "source must be an integer from 0 to 7, not 8"),
        ((3, -1, (1,)), {}, "source must be an integer from 0 to 7, not -1"),
        ((3, 0, (1, 8)), {}, "destination must be an integer from 0 to 7, not 8"),
        ((3, 0, (1,)), {"faults": (9,)}, "fault must be an integer from 0 to 7, not 9"),
        ((3, 0, (1,)), {"faults": (0, 2)}, "source must be a fault-free node, not 0"),
        ((3, 0, ()), {}, "destinations must hold at least one address, not ()"),
        (
            (3, 0, (1,)),
            {"policy": "fast"},
            "policy must be one of greedy, ordered, optimal, unicast, spare, not 'fast'",
        ),
        (
            (3, 0, (1,)),
            {"policy": "spare", "broadcast": True},
            "policy must be greedy or ordered for a broadcast with a destination list, not 'spare'",
        ),
        (
            (SEPARATE_BROADCAST_DIM + 1, 0),
            {"policy": "unicast", "broadcast": True},
            "dim must be an integer from 1 to 14, not 15",
        ),
        (
            (6, 0, [v for v in range(64) if v.bit_count() == 3]),
            {"policy": "optimal"},
            "destinations must hold at most 16 nodes without a listed neighbour nearer the source "
            "for an optimal tree, not 20",
        ),
        (
            (15, 0, [3 << j for j in range(12)]),
            {"policy": "optimal"},
            "dim must be at most 14 for an optimal tree to 12 nodes without a listed neighbour nearer the source, "
            "not 15",
        ),
    ],
)
def test_bad_parameters_are_refused_in_one_line(arguments, options, message):
    """The message names the parameter, the value and what is allowed."""
    with pytest.raises(ValueError) as caught:
        route(*arguments, **options)
    assert str(caught.value) == message


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: next(fault_sets(5)), "dim must be an integer from 1 to 4, not 5"),
        (lambda: hamming_bound(3, 4), "separation must be an integer from 1 to 3, not 4"),
        (lambda: random_faults(3, 8, np.random.default_rng(0)), "count must be an integer from 0 to 7, not 8"),
    ],
)
def test_bad_parameters_of_fault_functions(call, message):
    """The same for the functions about faults."""
    with pytest.raises(ValueError) as caught:
        call()
    assert str(caught.value) == message


def test_smallest_and_largest_cube():
    """Dimension 1, and one multicast across dimension 20."""
    assert route(1, 0, (1,)).edges == ((0, 1),)
    tree = route(20, 0, (2**20 - 1, 2**19))
    tree.check()
    assert (tree.traffic, tree.time) == (20, 20)
    assert tree.path(2**20 - 1)[1] == 2**19


def test_request_and_broadcast_destinations():
    """A checked request keeps the order of the list; a broadcast goes to all other fault-free nodes."""
    request = check_request(2, 1, [3, 0, 3], [2])
    assert (request.destinations, request.faults) == ((3, 0, 3), frozenset({2}))
    assert broadcast_destinations(request) == (0, 3)
    assert isinstance(route(2, 1, (3,)), MulticastTree)
