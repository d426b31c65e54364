"""Trees and merges of fault patterns: against all trees, the counts known by other ways, and small cases by hand."""

import itertools
import math

import numpy as np
import pytest

from cubecast.golden.collective.algorithms.fault_words import detect
from cubecast.golden.collective.algorithms.merge_run import run_merge
from cubecast.golden.collective.algorithms.merge_stages import DETOUR, plan_stages
from cubecast.golden.collective.algorithms.sink_tree import NoSinkError, SinkTree, all_trees, find_tree
from cubecast.study.leu.detour import plan_detours, three_hops
from cubecast.study.leu.fewest import fewest_troubled, troubled
from cubecast.study.leu.merge_point import MERGE_SCHEMES, WORDS, is_crowded, lost_share, merge_point, messengers
from cubecast.study.leu.patterns import all_links, fault_patterns, places
from cubecast.study.leu.tree_point import tree_point
from cubecast.study.subsets import subsets

DRAWN = [(3, 2, 1), (3, 6, 0), (3, 0, 3), (3, 12, 0), (4, 5, 0), (4, 12, 2), (4, 0, 6)]
"""Dimension, faulty links, faulty nodes."""


def drawn(dim, links, nodes, runs):
    """Return words and faulty nodes of random patterns with faults of both kinds."""
    random = np.random.default_rng([dim, links, nodes])
    ends = all_links(dim)
    for _ in range(runs):
        dead = random.choice(1 << dim, nodes, replace=False).tolist()
        yield detect(dim, [ends[at] for at in random.choice(len(ends), links, replace=False)], dead), dead


@pytest.mark.parametrize(("size", "count"), [(6, 0), (6, 3), (6, 6), (12, 2)])
def test_all_subsets_are_taken_once(size, count):
    """As soon as the runs are enough for it."""
    number = math.comb(size, count)
    exhaustive, sets = subsets(1, "toy", (), size, count, number)
    assert exhaustive
    assert sorted(map(tuple, sets)) == list(itertools.combinations(range(size), count))
    exhaustive, sets = subsets(1, "toy", (), size, count, number - 1)
    assert not exhaustive
    assert len(list(sets)) == number - 1


def test_random_subsets_are_sets_of_their_own():
    """By seed, family, key and run; every number is as likely as any other."""

    def drawn_with(seed=1, family="toy", key=(4,)):
        exhaustive, sets = subsets(seed, family, key, 64, 16, 200)
        assert not exhaustive
        return [tuple(one) for one in sets]

    sets = drawn_with()
    assert sets == drawn_with()
    assert len({*sets, *drawn_with(seed=2), *drawn_with(family="other"), *drawn_with(key=(5,))}) == 800
    assert all(len(set(one)) == 16 for one in sets)
    counts = np.bincount(np.ravel(sets), minlength=64)
    assert counts.size == 64
    assert 20 < counts.min() <= counts.max() < 85


@pytest.mark.parametrize("dim", [1, 2, 3, 5])
def test_patterns_of_links_and_nodes(dim):
    """Links are all the links; a pattern has one kind of fault."""
    links = all_links(dim)
    assert len(set(links)) == len(links) == places(dim, "links") == dim << dim - 1
    assert all((a ^ b).bit_count() == 1 and a < b for a, b in links)
    assert [pattern for pattern in fault_patterns(1, dim, "links", 1, 100)[1]] == [([link], []) for link in links]
    assert [pattern for pattern in fault_patterns(1, dim, "nodes", 1, 100)[1]] == [([], [v]) for v in range(1 << dim)]


@pytest.mark.parametrize(("dim", "links", "nodes"), DRAWN)
def test_fewest_troubled_nodes_are_those_of_all_trees(dim, links, nodes):
    """Tried one by one; sinks that are faulty do not count."""
    words, dead = zip(*drawn(dim, links, nodes, 6), strict=True)
    table = np.zeros((6, 1 << dim), dtype=bool)
    for row, faulty in zip(table, dead, strict=True):
        row[faulty] = True
    expected = [
        min(troubled(tree, word, faulty) for tree in all_trees(dim) if tree.sink not in faulty)
        for word, faulty in zip(words, dead, strict=True)
    ]
    assert fewest_troubled(dim, words, table).tolist() == expected
    assert max(expected) > 0 or links + nodes < 6


def test_troubled_nodes_by_hand():
    """A faulty link of the tree counts once; a faulty node has no trouble, those that send to it have."""
    tree = SinkTree(3, 0, (0, 1, 2))
    assert troubled(tree, detect(3, [(6, 7), (5, 7)]), ()) == 1
    assert troubled(tree, detect(3, nodes=[6]), {6}) == 1
    assert troubled(tree, detect(3, nodes=[7]), {7}) == 0


@pytest.mark.parametrize(("kind", "faults"), [("links", 3), ("links", 6), ("nodes", 2)])
def test_tree_points_count_what_the_golden_tree_is(kind, faults):
    """All patterns at n = 3, those without a sink too."""
    outcome = tree_point(1, 3, kind, faults, 1000)
    counts = dict.fromkeys(("patterns", "sinks", "found", "exist", "optimal", "excess"), 0)
    trees = list(all_trees(3))
    for links, nodes in fault_patterns(1, 3, kind, faults, 1000)[1]:
        words = detect(3, links, nodes)
        least = min(troubled(tree, words, nodes) for tree in trees if tree.sink not in nodes)
        counts["patterns"] += 1
        counts["exist"] += least == 0
        try:
            mine = troubled(find_tree(3, words), words, nodes)
        except NoSinkError:
            continue
        counts["sinks"] += 1
        counts["found"] += mine == 0
        counts["optimal"] += mine == least
        counts["excess"] += mine - least
    assert outcome == {"all": True, **counts}


def test_find_tree_misses_the_best_of_44_patterns():
    """Of 220 of three links at n = 3."""
    outcome = tree_point(1, 3, "links", 3, 220)
    assert (outcome["patterns"], outcome["optimal"]) == (220, 220 - 44)


def test_portions_make_no_difference(monkeypatch):
    """Of the patterns of a point."""
    whole = tree_point(2, 5, "links", 12, 20)
    monkeypatch.setattr("cubecast.study.leu.tree_point.ENTRIES", 3 * 5 << 10)
    assert tree_point(2, 5, "links", 12, 20) == whole
    assert (whole["patterns"], whole["all"]) == (20, False)


def test_merges_of_few_faulty_links_are_the_known_ones():
    """All patterns of up to four links at n = 3: 785 with a sink, of which each scheme completes so many."""
    outcomes = [merge_point(1, 3, "links", faults, 1000) for faults in range(5)]
    assert sum(outcome["sinks"] for outcome in outcomes) == 785
    complete = {scheme: 785 - sum(outcome[scheme]["incomplete"] for outcome in outcomes) for scheme in MERGE_SCHEMES}
    assert complete == {"repaired": 785, "detour": 785, "commented": 713, "printed": 357}
    hung = {scheme for scheme in MERGE_SCHEMES if sum(outcome[scheme]["hung"] for outcome in outcomes)}
    assert hung == {"printed"}


def test_merge_point_adds_up_its_runs():
    """Steps, k, and what cannot be helped, of the patterns of one point done again by hand."""
    outcome = merge_point(3, 4, "links", 9, 60)
    runs = []
    for links, nodes in fault_patterns(3, 4, "links", 9, 60)[1]:
        words = detect(4, links, nodes)
        if 0 in words:
            plan = plan_stages(find_tree(4, words), words)
            runs.append(run_merge(plan, dict.fromkeys(plan.members, (1,) * WORDS)))
    steps = [run.steps for run in runs]
    k = [run.plan.faulty_stages for run in runs]
    assert outcome["sinks"] == len(runs)
    assert outcome["repaired"]["steps"]["mean"] == pytest.approx(sum(steps) / len(steps))
    assert (outcome["repaired"]["steps"]["min"], outcome["repaired"]["steps"]["max"]) == (min(steps), max(steps))
    assert (outcome["faulty_stages"], outcome["most_faulty"]) == (sum(k), max(k))
    assert outcome["not_n_plus_k"] == sum(step != 4 + some for step, some in zip(steps, k, strict=True)) > 0
    assert outcome["troubled"] == sum(messengers(run.plan)[0] for run in runs) > outcome["alone"] > 0
    assert outcome["detour"]["steps"]["mean"] > outcome["repaired"]["steps"]["mean"]


def test_point_without_a_sink_has_counts_only():
    """All links faulty."""
    assert merge_point(1, 3, "links", 12, 5) == {"patterns": 1, "all": True, "sinks": 0}


def test_messengers_by_hand():
    """In stage 0 one of two helpers is enough for node 3; in stage 1 node 2 has node 6 only."""
    tree = SinkTree(3, 4, (0, 1, 2))
    for links, expected in (
        ([], (0, 0)),
        ([(2, 3)], (1, 0)),
        ([(2, 3), (1, 3)], (1, 0)),
        ([(0, 2)], (1, 0)),
        ([(0, 2), (2, 6)], (1, 1)),
        ([(0, 2), (2, 6), (0, 1)], (2, 1)),
    ):
        assert messengers(plan_stages(tree, detect(3, links))) == expected


def test_nodes_that_are_cut_off_crowd_the_others():
    """Dead ones alone do not: N / (N - f) is their share."""
    words = detect(3, nodes=[0])
    assert not is_crowded(plan_stages(find_tree(3, words), words), 1)
    words = detect(4, nodes=[1, 2, 4, 8])
    assert is_crowded(plan_stages(find_tree(4, words), words), 4)


def test_three_hops_by_hand():
    """The lowest dimension whose three links are good; never the faulty one itself."""
    assert three_hops(0, 2, 3, detect(3, [(0, 4)])) == (0, 1, 5, 4)
    assert three_hops(0, 0, 3, detect(3, [(0, 1)])) == (0, 2, 3, 1)
    for broken in ((0, 1), (1, 5), (4, 5)):
        assert three_hops(0, 2, 3, detect(3, [(0, 4), broken])) == (0, 2, 6, 4)
    assert three_hops(0, 2, 3, detect(3, [(0, 4), (0, 1), (2, 6)])) is None


@pytest.mark.parametrize("link", [(2, 3), (5, 7), (3, 7)])
def test_one_faulty_link_makes_three_of_a_step(link):
    """One stage takes three steps in place of one, two under FTTC; a link outside the tree makes no difference."""
    words = detect(3, [link])
    tree = SinkTree(3, 0, (0, 1, 2))
    repaired = plan_stages(tree, words)
    used = link in tree.links
    plan = plan_detours(repaired)
    detours = [hop for stage in plan.stages for hop in stage.messages if hop.kind == DETOUR]
    assert [len(hop.path) for hop in detours] == [4] * used
    assert run_merge(repaired, dict.fromkeys(range(8), (1,))).steps == 3 + used
    run = run_merge(plan, {node: (node,) for node in range(8)})
    assert (run.steps, run.result, run.is_complete) == (3 + 2 * used, (28,), True)


def test_detours_round_dead_nodes_lead_to_the_next_one():
    """Data of node 15 go to 14, 12, 8 and to the sink 0."""
    tree = SinkTree(4, 0, (0, 1, 2, 3))
    for dead, paths in (((), []), ((14,), [(15, 13, 12)]), ((12, 14), [(15, 13, 9, 8)])):
        plan = plan_detours(plan_stages(tree, detect(4, nodes=dead)))
        assert [hop.path for hop in plan.stages[0].messages if hop.kind == DETOUR and hop.sender == 15] == paths


@pytest.mark.parametrize(("dim", "links", "nodes"), [(3, 4, 0), (4, 9, 1), (5, 20, 3), (6, 60, 2)])
def test_detours_lose_nothing(dim, links, nodes):
    """Even where no three hops are good, nodes are dead, or nodes are cut off; all paths are good."""
    longer = 0
    for words, dead in drawn(dim, links, nodes, 25):
        if 0 not in words:
            continue
        plan = plan_detours(plan_stages(find_tree(dim, words), words))
        run = run_merge(plan, dict.fromkeys(plan.members, (1,) * WORDS))
        assert run.is_complete
        assert lost_share(run) == 0
        assert not set(dead) & set(plan.members)
        for stage in plan.stages:
            for hop in stage.messages:
                longer += len(hop.path) > 4
                for a, b in itertools.pairwise(hop.path):
                    assert not words[a] & (a ^ b)
    assert longer > 0 or links < 9


def test_lost_share_by_hand():
    """Figure 14 as printed waits forever: all is lost; two nodes that count on each other lose half of theirs."""
    words = detect(4, [(10, 11), (9, 11)])
    tree = SinkTree(4, 0, (0, 1, 2, 3))
    printed, repaired = (plan_stages(tree, words, scheme) for scheme in ("printed", "repaired"))
    data = dict.fromkeys(range(16), (1,) * WORDS)
    assert lost_share(run_merge(printed, data)) == 1
    assert lost_share(run_merge(repaired, data)) == 0
    words = detect(3, [(2, 3), (6, 7)])
    plan = plan_stages(SinkTree(3, 0, (0, 1, 2)), words, "commented")
    assert lost_share(run_merge(plan, dict.fromkeys(range(8), (1,) * WORDS))) == pytest.approx(1 / 8)
