"""Stage tables: figures 14 to 16, examples 3 and 4, and what the printed FTTC does wrong."""

from __future__ import annotations

import graphlib
import itertools
import json
import random

import pytest

from cubecast.golden.collective.algorithms.fault_words import connected_to, detect
from cubecast.golden.collective.algorithms.merge_run import run_merge
from cubecast.golden.collective.algorithms.merge_stages import (
    DETOUR,
    DIRECT,
    PART,
    SCHEMES,
    Hop,
    plan_merge,
    plan_stages,
)
from cubecast.golden.collective.algorithms.sink_tree import NoSinkError, SinkTree, find_tree
from tests.collective.tree_cases import all_links, random_plans

PLAIN_4 = SinkTree(4, 0, (0, 1, 2, 3))
FIGURE_14 = detect(4, [(0b1011, 0b1010), (0b1011, 0b1001)])


def has_cycle(plan):
    """Return whether the resource dependency graph has a cycle."""
    graph = {}
    for node, other in plan.resource_graph():
        graph.setdefault(node, set()).add(other)
    try:
        tuple(graphlib.TopologicalSorter(graph).static_order())
    except graphlib.CycleError:
        return True
    return False


def check_plan(plan):
    """Check a repaired plan by what a node may do at all.

    Over good links only, everybody but the sink gives all its data away in its active stage and nowhere else, to
    somebody who passes it on later or in the second step of the stage, and what is sent is what is waited for.
    """
    tree, words = plan.tree, plan.words
    gone = set()
    for stage in plan.stages:
        for node in {hop.sender for hop in stage.messages}:
            assert tree.stage_of(node) == stage.index and node not in gone
            sent = [hop for hop in stage.messages if hop.sender == node]
            assert [hop.part for hop in sent] == list(range(len(sent)))
            assert all(hop.parts == len(sent) for hop in sent)
            gone.add(node)
        for hop in stage.messages:
            for a, b in itertools.pairwise(hop.path):
                assert not words[a] & (a ^ b) and (a ^ b).bit_count() == 1
            later = tree.stage_of(hop.receiver)
            assert later > stage.index or (
                later == stage.index
                and hop.kind == PART
                and Hop(DIRECT, (hop.receiver, tree.parent(hop.receiver))) in stage.messages
            )
            assert (hop.kind == DIRECT) == (hop.path == (hop.sender, tree.parent(hop.sender)))
        pairs = sorted((hop.receiver, hop.sender) for hop in stage.messages)
        assert pairs == sorted((node, sender) for node, senders in stage.waits.items() for sender in senders)
        for node, senders in stage.waits.items():
            # helpers take parts in the order of the dimensions; passive nodes take detours last
            order = (
                tree.active_neighbours(node) if tree.stage_of(node) == stage.index else (node ^ 1 << stage.dimension,)
            )
            expected = [other for other in order if other in senders]
            assert list(senders[: len(expected)]) == expected
    assert gone == set(plan.members) - {tree.sink}
    assert all(words[node] == 2**tree.dim - 1 for node in plan.excluded)
    assert not has_cycle(plan) and plan.faulty_stages < tree.dim


def test_figure_14_and_example_3():
    """Node 1011 divides its data in two, for 1111 and 0011; 1001 does not help, and 1010 has nothing to wait for."""
    plan = plan_stages(PLAIN_4, FIGURE_14)
    check_plan(plan)
    stage = plan.stages[0]
    assert [hop for hop in stage.messages if hop.kind != DIRECT] == [
        Hop(PART, (0b1011, 0b1111), 0, 2),
        Hop(PART, (0b1011, 0b0011), 1, 2),
    ]
    assert stage.helpers == (0b0011, 0b1111)
    assert 0b1010 not in stage.waits and 0b1001 not in stage.waits
    assert stage.waits[0b1111] == stage.waits[0b0011] == (0b1011,)
    assert [one.is_faulty for one in plan.stages] == [True, False, False, False]


def test_figure_15():
    """The graph of example 3: the tree reversed, one edge out, two edges in, no cycle."""
    tree = {(PLAIN_4.parent(node), node) for node in range(1, 16)}
    expected = tree - {(0b1010, 0b1011)} | {(0b1111, 0b1011), (0b0011, 0b1011)}
    assert plan_stages(PLAIN_4, FIGURE_14).resource_graph() == expected


def test_figure_16_and_example_4():
    """Links 100-110 and 100-000 and node 111 faulty: at stage 0 node 100 sends to 101; 111 takes no part."""
    plan = plan_merge(3, [(0b100, 0b110), (0b100, 0b000)], [0b111])
    check_plan(plan)
    assert (plan.tree.sink, plan.tree.order, plan.excluded) == (1, (2, 1, 0), (7,))
    stage = plan.stages[0]
    assert stage.messages == (
        Hop(PART, (0b100, 0b101)),
        Hop(DIRECT, (0b101, 0b001)),
        Hop(DIRECT, (0b110, 0b010)),
    )
    assert stage.waits == {0b001: (0b101,), 0b010: (0b110,), 0b101: (0b100,)}


def test_tables():
    """The table of a troubled node, a helper, and their passive neighbours; the JSON of the stages."""
    plan = plan_merge(3, [(0b100, 0b110), (0b100, 0b000)], [0b111])
    assert plan.table(0b101)[0] == {
        "role": "active",
        "dimension": 2,
        "receive": [0b100],
        "send": [{"kind": "direct", "path": [0b101, 0b001], "part": 0, "parts": 1}],
    }
    assert plan.table(0b100)[0]["send"] == [{"kind": "part", "path": [0b100, 0b101], "part": 0, "parts": 1}]
    assert [row["role"] for row in plan.table(0b010)] == ["passive", "active", "idle"]
    assert {row["role"] for row in plan.table(0b111)} == {"idle"}
    assert json.loads(json.dumps(plan.to_json())) == plan.to_json()
    assert plan.to_json()["stages"][0] == {
        "stage": 0,
        "dimension": 2,
        "active": [4, 5, 6],
        "passive": [1, 2],
        "helpers": [5],
        "partitions": [{"from": 4, "to": 5, "part": 0, "parts": 1}],
        "detours": [],
    }


def test_all_patterns_of_up_to_4_links_at_n_3():
    """Every one is planned well, or has no sink for the reason that it says."""
    unserved = 0
    for count in range(5):
        for links in itertools.combinations(all_links(3), count):
            words = detect(3, links)
            try:
                plan = plan_merge(3, links)
            except NoSinkError:
                assert all(words)
                unserved += 1
                continue
            check_plan(plan)
            assert set(plan.members) == connected_to(plan.tree.sink, 3, words)
    assert unserved == 9


@pytest.mark.parametrize("n", [2, 3, 4, 5, 6])
def test_random_patterns_of_links_and_nodes(n):
    """The same with faulty nodes."""
    generator = random.Random(n)
    for plan, nodes in random_plans(n, generator, 100):
        check_plan(plan)
        assert not set(nodes) & set(plan.members)


@pytest.mark.parametrize("n", [1, 3, 4])
def test_all_schemes_agree_without_faults(n):
    """FTTC without faults is TC."""
    for sink in (0, 2**n - 1):
        tree = SinkTree(n, sink, tuple(range(n)))
        plans = [plan_stages(tree, (0,) * 2**n, scheme).stages for scheme in SCHEMES]
        assert all(stages == plans[0] for stages in plans)
        check_plan(plan_stages(tree, (0,) * 2**n))


def outcome(tree, links, scheme, nodes=(), words=12):
    """Return plan and run of a merge in which every node's words are a bit of its own."""
    plan = plan_stages(tree, detect(tree.dim, links, nodes), scheme)
    return plan, run_merge(plan, {node: (1 << node,) * words for node in range(2**tree.dim)})


def test_printed_helper_waits_over_a_faulty_link():
    """The test of the helper, as printed, is always true: in example 3 node 1001 waits for 1011, forever."""
    links = [(0b1011, 0b1010), (0b1011, 0b1001)]
    assert (0, 0b1001, 0b1011) in outcome(PLAIN_4, links, "printed")[1].waiting
    assert outcome(PLAIN_4, links, "commented")[1].is_complete
    tree = find_tree(3, detect(3, [(4, 6), (4, 0)], [7]))
    waiting = outcome(tree, [(4, 6), (4, 0)], "printed", [7])[1].waiting
    assert {(0, 0b101, 0b111), (0, 0b110, 0b100)} <= set(waiting)


def test_troubled_neighbours_lose_each_others_parts():
    """Two faulty links: half of 011 and of 111 is lost, and the two depend on each other."""
    tree, links = SinkTree(3, 0, (0, 1, 2)), [(0b010, 0b011), (0b110, 0b111)]
    plan, run = outcome(tree, links, "commented")
    assert has_cycle(plan)
    assert {(0, 0b011, 0b111), (0, 0b111, 0b011)} == set(run.lost)
    assert run.result == (0b11111111,) * 6 + (0b01110111,) * 6
    assert outcome(tree, links, "repaired")[1].result == (255,) * 12


@pytest.mark.parametrize(
    ("n", "links", "lost"),
    [
        (3, [(0, 1), (6, 7), (0, 4), (2, 6)], 0b110),
        (4, [(0b0000, 0b1000), (0b0010, 0b1010), (0b0111, 0b1111), (0b1000, 0b1001)], None),
    ],
)
def test_parts_are_lost_on_trees_that_find_tree_finds(n, links, lost):
    """Every node is connected and a sink exists, and still FTTC loses data before the repair."""
    tree = find_tree(n, detect(n, links))
    plan, run = outcome(tree, links, "commented")
    everything = (2 ** (2**n) - 1,) * 12
    assert plan.excluded == () and not run.waiting and run.lost and run.result != everything
    if lost is not None:
        assert all(not word >> lost & 1 for word in run.result)
    assert outcome(tree, links, "repaired")[1].result == everything


def test_cut_off_but_not_isolated():
    """Four links cut off {000, 100}: their data never gets to the sink, so they must not have any."""
    links = [(0, 1), (4, 5), (0, 2), (4, 6)]
    tree = find_tree(3, detect(3, links))
    plan, run = outcome(tree, links, "commented")
    assert plan.excluded == ()
    assert all(not word & 0b00010001 for word in run.result)
    plan, run = outcome(tree, links, "repaired")
    assert plan.excluded == (0, 4) and run.is_complete and run.result == (0b11101110,) * 12


def test_six_links_cut_off_two_nodes_at_n_4():
    """Fewer than 2^(n-1) faulty links can do it."""
    cut = {0b1110, 0b1111}
    links = [link for link in all_links(4) if len(cut & set(link)) == 1]
    plan = plan_merge(4, links)
    assert len(links) == 6 and set(plan.excluded) == cut
    check_plan(plan)


def test_detour_is_taken_by_nobody_as_printed():
    """m = 0 at node 001: three hops to 011... and the passive node, whose link is faulty, does not wait for them."""
    tree, links = SinkTree(3, 0b010, (2, 1, 0)), [(0, 1), (1, 3), (4, 6)]
    plan, run = outcome(tree, links, "commented")
    detours = [hop for stage in plan.stages for hop in stage.messages if hop.kind == DETOUR]
    assert [(hop.sender, hop.receiver, len(hop.path) - 1) for hop in detours] == [(0b001, 0b011, 3)]
    assert run.lost == ((1, 0b001, 0b011),) and run.result != (255,) * 12
    plan, run = outcome(tree, links, "repaired")
    assert plan.stages[1].waits[0b011] == (0b001,) and run.result == (255,) * 12


def test_detour_to_a_dead_node_goes_to_the_sink():
    """Node 1110 can only detour, and its passive neighbour 1100 is dead."""
    links, nodes = [(0b1010, 0b1110), (0b0110, 0b1110)], [0b1100]
    plan, run = outcome(PLAIN_4, links, "commented", nodes)
    assert not any(word >> 0b1110 & 1 for word in run.result)
    plan, run = outcome(PLAIN_4, links, "repaired", nodes)
    detours = [hop for stage in plan.stages for hop in stage.messages if hop.kind == DETOUR]
    assert [(hop.sender, hop.receiver) for hop in detours] == [(0b1110, 0)]
    check_plan(plan)
    assert run.result == (0xFFFF & ~(1 << 0b1100),) * 12


@pytest.mark.soak
def test_commented_fttc_loses_data_in_312_patterns_of_4_links_at_n_4():
    """Of 35,960; parts only, detours would be a matter of their own."""
    count = 0
    for links in itertools.combinations(all_links(4), 4):
        words = detect(4, links)
        plan = plan_stages(find_tree(4, words), words, "commented")
        count += any(
            hop.kind == PART and hop.sender not in stage.waits.get(hop.receiver, ())
            for stage in plan.stages
            for hop in stage.messages
        )
    assert count == 312


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (
            lambda: plan_merge(3, scheme="best"),
            "scheme must be one of repaired, commented, printed, plain, not 'best'",
        ),
        (
            lambda: plan_stages(SinkTree(2, 1, (0, 1)), detect(2, [(1, 3)])),
            "sink must have no faulty link or neighbour, not 1 with 10",
        ),
        (lambda: plan_merge(2, [(0, 3)]), "link must join neighbours, not 0 and 3"),
        (
            lambda: plan_merge(1, [(0, 1)]),
            "faults must leave a sink, a node whose 1 links and neighbours are all good, not a fault at every node",
        ),
    ],
)
def test_messages(call, message):
    """One line with name, value and what is allowed."""
    with pytest.raises(ValueError) as caught:
        call()
    assert str(caught.value) == message
