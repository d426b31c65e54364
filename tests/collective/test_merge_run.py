"""Merges with data: the value in the sink, the number of parallel steps, theorems 5 to 7."""

from __future__ import annotations

import functools
import itertools
import operator
import random
import time
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cubecast.golden.collective.algorithms.fault_words import detect, distribute
from cubecast.golden.collective.algorithms.merge_operations import OPERATIONS, plain_merge, word_operation
from cubecast.golden.collective.algorithms.merge_run import run_merge
from cubecast.golden.collective.algorithms.merge_stages import DETOUR, SCHEMES, plan_merge, plan_stages
from cubecast.golden.collective.algorithms.sink_tree import NoSinkError, SinkTree, find_tree
from tests.collective.tree_cases import all_links, random_faults, random_plans
from tests.harness.search import search

SEARCH = search(100)


def own_bits(n, words=4):
    """Return vectors in which every node has a bit of its own, so that a sum shows what is lost or came twice."""
    return {node: (1 << 2 * node,) * words for node in range(2**n)}


def check_run(plan, *, one_port=False):
    """Run a repaired plan; check result and steps, and return the run."""
    run = run_merge(plan, own_bits(plan.tree.dim), one_port=one_port)
    assert run.is_complete
    assert run.result == (sum(1 << 2 * node for node in plan.members),) * 4
    hops = [
        max([len(hop.path) - 1 for hop in stage.messages if hop.kind == DETOUR], default=0) for stage in plan.stages
    ]
    if not one_port and max(hops) == 0:
        assert run.steps == plan.tree.dim + plan.faulty_stages
        assert run.stage_steps == tuple(2 if stage.is_faulty else 1 for stage in plan.stages)
    assert all(steps >= longest for steps, longest in zip(run.stage_steps, hops, strict=True))
    return run


def test_figure_1_with_data():
    """TC at n = 4 in four steps, and who has what after it, by hand."""
    run = run_merge(plan_stages(SinkTree(4, 0, (0, 1, 2, 3)), (0,) * 16, "plain"), {v: (v, 1) for v in range(16)})
    assert run.result == (120, 16) and run.stage_steps == (1, 1, 1, 1) and run.is_complete


def test_example_3_with_data():
    """Five steps: stage 0 has two, and nothing is lost, whatever the number of words."""
    words = detect(4, [(0b1011, 0b1010), (0b1011, 0b1001)])
    plan = plan_stages(SinkTree(4, 0, (0, 1, 2, 3)), words)
    assert check_run(plan).stage_steps == (2, 1, 1, 1)
    # with one port 1011 sends its two parts one after the other
    assert check_run(plan, one_port=True).stage_steps == (3, 1, 1, 1)
    for count in range(5):
        run = run_merge(plan, own_bits(4, count))
        assert run.is_complete and run.result == (0x55555555,) * count


def test_example_4_with_data():
    """Two link faults and a faulty node: the sum of all but node 111."""
    plan = plan_merge(3, [(0b100, 0b110), (0b100, 0b000)], [0b111])
    assert check_run(plan).stage_steps == (2, 1, 1)
    assert run_merge(plan, {node: (node,) for node in range(7)}).result == (21,)


def test_theorems_5_to_7_for_all_patterns_of_up_to_4_links_at_n_3():
    """Nothing lost, nobody waits; n + k steps unless there is a detour, which 44 of the patterns have."""
    detours = 0
    for count in range(5):
        for links in itertools.combinations(all_links(3), count):
            try:
                plan = plan_merge(3, links)
            except NoSinkError:
                assert count == 4
                continue
            run = check_run(plan)
            detours += run.steps > 3 + plan.faulty_stages
            # it takes n faults to cut off anybody
            assert count >= 3 or not plan.excluded
    assert detours == 44


@pytest.mark.parametrize("n", [1, 2, 3, 4, 5, 6])
def test_random_patterns_of_links_and_nodes(n):
    """The same with faulty nodes, with all ports and with one."""
    generator = random.Random(100 + n)
    for plan, _ in random_plans(n, generator, 60):
        assert check_run(plan, one_port=True).steps >= check_run(plan).steps


@pytest.mark.soak
@pytest.mark.parametrize("n", [4, 5])
def test_many_random_patterns(n):
    """Up to twice 2^(n-1) faulty links, up to three faulty nodes."""
    generator = random.Random(n)
    served = 0
    for plan, _ in random_plans(n, generator, 20_000, 2**n, 3):
        check_run(plan)
        served += 1
    assert served > 10_000


@pytest.mark.soak
def test_all_patterns_of_5_links_at_n_3_and_all_trees():
    """On every tree with a good sink, not only on those that FIND_TREE finds."""
    for count in range(6):
        for links in itertools.combinations(all_links(3), count):
            words = detect(3, links)
            for order in itertools.permutations(range(3)):
                for sink in range(8):
                    if not words[sink]:
                        check_run(plan_stages(SinkTree(3, sink, order), words))


def test_printed_scheme_fails_where_the_repaired_does_not():
    """How many of the 785 patterns of up to 4 links with a sink each scheme serves, n = 3."""
    served = dict.fromkeys(SCHEMES, 0)
    for count in range(5):
        for links in itertools.combinations(all_links(3), count):
            words = detect(3, links)
            if not all(words):
                for scheme in SCHEMES:
                    plan = plan_stages(find_tree(3, words), words, scheme)
                    run = run_merge(plan, own_bits(3, 2))
                    right = (sum(1 << 2 * node for node in plan.members),) * 2
                    assert run.is_complete == (run.result == right)
                    served[scheme] += run.is_complete
    page = (Path(__file__).parents[2] / "docs" / "tree_merge.md").read_text()
    assert all(f"| {scheme} | {count} |" in page for scheme, count in served.items())
    assert served == {"repaired": 785, "commented": 713, "printed": 357, "plain": 281}


def test_a_detour_may_take_more_steps_than_theorem_5_says():
    """Five hops, seven steps: more than 2n."""
    words = detect(3, [(0, 1), (6, 7), (0, 2), (4, 6)])
    plan = plan_stages(SinkTree(3, 0b011, (2, 1, 0)), words)
    run = check_run(plan)
    assert [len(hop.path) - 1 for stage in plan.stages for hop in stage.messages if hop.kind == DETOUR] == [5]
    assert run.steps == 7 and plan.faulty_stages == 1


def test_a_helper_with_one_port_takes_parts_one_after_the_other():
    """Node 0001 helps three neighbours: with one port it needs three steps before it sends."""
    links = [(0b0011, 0b0010), (0b0101, 0b0100), (0b1001, 0b1000)]
    plan = plan_stages(SinkTree(4, 0, (0, 1, 2, 3)), detect(4, links))
    assert plan.stages[0].waits[0b0001] == (0b0011, 0b0101, 0b1001)
    assert check_run(plan).stage_steps == (2, 1, 1, 1)
    assert check_run(plan, one_port=True).stage_steps[0] >= 4
    # now each of the three can send to 0001 only
    links += [(0b0011, 0b0111), (0b0011, 0b1011), (0b0101, 0b0111)]
    links += [(0b0101, 0b1101), (0b1001, 0b1011), (0b1001, 0b1101)]
    plan = plan_stages(SinkTree(4, 0, (0, 1, 2, 3)), detect(4, links))
    assert {hop.parts for hop in plan.stages[0].messages} == {1}
    assert check_run(plan).stage_steps[0] == 2 and check_run(plan, one_port=True).stage_steps[0] == 4


REDUCERS = {"sum": sum, "min": min, "max": max}


@given(st.integers(1, 5), st.sampled_from(sorted(OPERATIONS)), st.integers(0, 9), st.randoms(use_true_random=False))
@SEARCH
def test_result_equals_the_plain_merge(n, operation, length, generator):
    """Every operation, any number of words, random faults; the words checked against Python's own too."""
    links, nodes = random_faults(n, generator, 2**n // 3)
    try:
        plan = plan_merge(n, links, nodes)
    except NoSinkError:
        return
    if operation == "sorted":
        items = [generator.randrange(100) for _ in range(10 * length)]
        shares = distribute(len(items), plan.members)
        data = {node: sorted(items[i] for i in share) for node, share in shares.items()}
        expected = tuple(sorted(items))
    else:
        data = {node: [generator.randrange(256) for _ in range(length)] for node in range(2**n)}
        columns = zip(*(data[node] for node in plan.members), strict=True)
        bitwise = {"and": operator.and_, "or": operator.or_, "xor": operator.xor}
        if operation in bitwise:
            expected = tuple(int(functools.reduce(bitwise[operation], column)) for column in columns)
        else:
            expected = tuple(REDUCERS[operation](column) for column in columns)
    for one_port in (False, True):
        run = run_merge(plan, data, operation, one_port=one_port)
        assert run.is_complete and run.result == expected
    assert plain_merge(operation, [data[node] for node in plan.members]) == expected


def test_own_operation():
    """A product by name of nobody."""
    product = word_operation("product", operator.mul)
    assert run_merge(plan_merge(2, [(1, 3)]), {0: (2,), 1: (3,), 2: (5,), 3: (7,)}, product).result == (210,)


def test_uniform_distribution_slows_computing_by_n_over_n_minus_f():
    """With f faulty nodes the largest share is N / (N - f) times that without."""
    plan = plan_merge(3, nodes=[7, 6])
    assert max(map(len, distribute(2400, plan.members).values())) * 6 == 2400
    assert max(map(len, distribute(2400, range(8)).values())) * 8 == 2400


def test_plain_tree_over_a_faulty_link():
    """TC loses the message, and those behind it wait forever; there is no result."""
    plan = plan_stages(SinkTree(2, 0, (0, 1)), detect(2, [(2, 3)]), "plain")
    run = run_merge(plan, own_bits(2))
    assert run.result is None and run.lost == ((0, 3, 2),) and run.waiting == ((0, 2, 3), (1, 0, 2))


def test_12_dimensions_in_seconds():
    """4,096 nodes with 150 faulty links and 20 faulty nodes."""
    generator = random.Random(12)
    links = generator.sample(all_links(12), 150)
    started = time.process_time()
    plan = plan_merge(12, links, generator.sample(range(4096), 20))
    run = run_merge(plan, {node: (node,) for node in range(4096)})
    assert run.is_complete and run.result == (sum(plan.members),)
    assert time.process_time() - started < 5


@pytest.mark.parametrize(
    ("contributions", "operation", "message"),
    [
        ({0: (1,)}, "sum", "contributions must hold one for every node that takes part, not none for 1"),
        ({0: (1,), 1: (1, 2)}, "sum", "contributions must have one length, not 1 and 2"),
        ({0: (1,), 1: (2, 1)}, "sorted", "contributions must be sorted, not that of node 1"),
        ({0: (1,), 1: (2,)}, "mean", "operation must be one of sum, min, max, and, or, xor, sorted, not 'mean'"),
    ],
)
def test_messages(contributions, operation, message):
    """One line with name, value and what is allowed."""
    with pytest.raises(ValueError) as caught:
        run_merge(plan_merge(1), contributions, operation)
    assert str(caught.value) == message
