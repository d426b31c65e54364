"""The golden network alone: what operations give, how long they take, and what happens when a member fails."""

import dataclasses
import random

import pytest

from cubecast.golden.common.algorithms.faults import faults_of
from cubecast.golden.common.contract.units import DATA_BITS
from cubecast.golden.crosspoint.contract.config import CrosspointConfig
from cubecast.golden.reduction.algorithms.operations import KINDS, Collective
from cubecast.golden.reduction.algorithms.tree import join_cycles, plan_contexts, plan_group, plan_groups
from cubecast.golden.reduction.contract.config import ReductionConfig
from cubecast.golden.reduction.contract.registers import ADDRESS_BITS, Register
from cubecast.golden.reduction.contract.word import Operation
from cubecast.golden.reduction.twins.network import ReductionNetwork
from cubecast.golden.reduction.twins.unit import ReductionUnit
from cubecast.tb.common.patterns import item
from cubecast.tb.reduction.host import ABORT, DELIVER, ENABLE, MEMBER
from cubecast.tb.reduction.host import tree as tree_word
from cubecast.tb.reduction.network import stimulus
from cubecast.tb.reduction.operators import Operators
from cubecast.tb.reduction.playback import group, play, play_golden

LATE, MISMATCH, ERROR, IDLE = 1, 2, 4, 8
"""Bits of STATUS."""


def configured(dim, **parameters):
    """Return the parameters of a network: of its join units, and of its routers."""
    names = ("reduce_depth", "reduce_register", "contexts")
    own = {name: parameters.pop(name) for name in names if name in parameters}
    return ReductionConfig(router=CrosspointConfig(dim=dim, **parameters), **own)


def vectors(generator, members, words, width=32):
    """Return random words of some members."""
    return {node: tuple(generator.getrandbits(width) for _ in range(words)) for node in members}


def vectors_of(dim, links, faults):
    """Return the fault vectors of all routers."""
    found = faults_of(dim, faults, links)
    return [found.vector(node, dim) for node in range(1 << dim)]


def check(record, config, tree, operations, ending=""):
    """Each member has each operation's results once, in order and without error, the final one of each being last."""
    wanted = []
    for each in operations:
        found = each.results(config.width)
        wanted += [[word, int(place == len(found) - 1), 0] for place, word in enumerate(found)]
    assert not record["stalled"]
    for node in tree.members:
        assert [word[1:] for word in record[f"results{ending}"][str(node)]] == wanted, f"node {node}"
    assert all(record[f"registers{ending}"]["STATUS"][node] == IDLE for node in tree.nodes)


@pytest.mark.parametrize("register", [True, False])
@pytest.mark.parametrize("dim", [2, 3, 4])
def test_an_all_reduce_takes_as_long_as_its_tree_says(dim, register):
    """One word, and 16: a cycle for each further one; so do 64 of one word each, but for words that wait in joins."""
    config, tree = configured(dim, runs=1, reduce_register=register), plan_group(dim)
    generator = random.Random(dim)
    least = join_cycles(tree, register=register)
    for words in (1, 16):
        operations = [Collective("all-reduce", vectors(generator, tree.members, words))]
        record = play_golden(config, [group(config, tree, operations)])
        check(record, config, tree, operations)
        assert record["cycles"] == least + words - 1


@pytest.mark.parametrize(
    ("router", "own"),
    [
        ({"runs": 2}, {"reduce_depth": 8}),
        ({"link_regs": 2, "output_register": True, "width": 9}, {"reduce_depth": 16, "reduce_register": False}),
        ({"runs": 1, "multicast": False, "fault_tolerant": False, "width": 64}, {"reduce_depth": 4}),
    ],
)
def test_all_kinds_one_after_the_other(router, own):
    """All kinds and all operations, without a gap, also around faults, and with packets beside them."""
    config, generator = configured(3, **router, **own), random.Random(7)
    for tree in (plan_group(3), plan_group(3, links=[(0, 1), (3, 7)], faults=[6])):
        operations = [
            Collective(kind, vectors(generator, tree.members, 3, config.width), operation, node=tree.members[2])
            for kind, operation in [
                *((kind, Operation.MIN) for kind in KINDS),
                *(("all-reduce", op) for op in Operation),
            ]
        ]
        record = play_golden(config, [group(config, tree, operations)], load=0.3, packet_words=1)
        check(record, config, tree, operations)
        assert record["packets"]["words"]


def test_what_the_kinds_give():
    """By hand, on three members."""
    words = {0: (1, 2, 3), 3: (10, 20, 30), 5: (100, 200, 255)}
    given = {
        kind: [Collective(kind, words, Operation.ADD, node=3).kept(node, Collective(kind, words, node=3).results(8))]
        for kind in KINDS
        for node in (5,)
    }
    assert given == {
        "all-reduce": [(111, 222, 32)],
        "reduce": [()],
        "barrier": [()],
        "broadcast": [(10, 20, 30)],
        "reduce-scatter": [(32,)],
        "all-gather": [(1, 2, 3, 10, 20, 30, 100, 200, 255)],
    }
    kept = Collective("reduce", words, Operation.MAX, node=3)
    assert kept.kept(3, kept.results(8)) == (100, 20, 30), "200 and 255 are negative in 8 bits"
    uneven = Collective("reduce-scatter", {node: (1, 2, 3, 4) for node in words})
    assert [uneven.kept(node, uneven.results(8)) for node in words] == [(3, 6), (9, 12), ()]


def test_groups_do_not_disturb_each_other():
    """Two halves of a cube, one with twice the words: each is as fast as alone."""
    config, generator = configured(4, runs=1), random.Random(2)
    trees = plan_groups(4, [range(8), range(8, 16)])
    operations = [
        [Collective("all-reduce", vectors(generator, tree.members, 8 + 8 * (tree is trees[1])))] for tree in trees
    ]
    both = [group(config, tree, each) for tree, each in zip(trees, operations, strict=True)]
    record = play_golden(config, both)
    for tree, each, alone in zip(trees, operations, both, strict=True):
        check(record, config, tree, each)
        single = play_golden(config, [alone])["results"]
        assert all(record["results"][str(node)] == single[str(node)] for node in tree.members)


@pytest.mark.parametrize(
    "run", [play_golden, pytest.param(play, marks=[pytest.mark.soak, pytest.mark.cosim])], ids=["golden", "rtl"]
)
def test_rows_and_columns_at_the_same_time(run):
    """Of a 4-cube, each node in a row and in a column: all sums are right, and a late row holds up no column."""
    config, generator = configured(4, runs=1, contexts=2), random.Random(6)
    rows, columns = ([range(4 * row, 4 * row + 4) for row in range(4)], [range(column, 16, 4) for column in range(4)])
    planned = plan_contexts(4, [*rows, *columns])
    operations = [[Collective("all-reduce", vectors(generator, tree.members, 40))] for _, tree in planned]
    for start in (0, 400):
        groups = [
            group(config, tree, each, context=context, starts={tree.members[0]: start} if place == 0 else {})
            for place, ((context, tree), each) in enumerate(zip(planned, operations, strict=True))
        ]
        record = run(config, groups)
        for (context, tree), each in zip(planned, operations, strict=True):
            check(record, config, tree, each, config.endings[context])
        late = [words[-1][0] for words in record["results"].values()]
        others = [words[-1][0] for words in record["results_1"].values()]
        assert (
            max(others) < 140 and (max(late) >= start + 40) and sum(end >= 400 for end in late) == (4 if start else 0)
        )


def test_what_a_network_does_not_have_is_refused():
    """A second context, and operators: one line."""
    tree, operations = plan_group(2), [Collective("barrier", {node: (0,) for node in range(4)})]
    with pytest.raises(ValueError, match=r"^context must be an integer from 0 to 0, not 1$"):
        group(configured(2), tree, operations, context=1)
    operated = ReductionConfig(router=CrosspointConfig(dim=2), operator_latency=3)
    with pytest.raises(ValueError, match=r"^operator_latency must be 0 without operators beside the units, not 3$"):
        group(operated, tree, operations)


def test_a_late_member_is_waited_for():
    """The result comes when it does; LATE is set on the way from it to the root, and nothing is lost."""
    config, tree, generator = configured(3, runs=1), plan_group(3), random.Random(5)
    operations = [Collective("all-reduce", vectors(generator, tree.members, 40))]
    late = next(node for node in tree.members if tree.levels[node] == 3)
    record = play_golden(config, [group(config, tree, operations, starts={late: 300})], timeout=1)
    assert not record["stalled"] and record["cycles"] > 300
    way = {late, *(node for node in tree.parents if late in _below(tree, node)), tree.root} - {late}
    status = record["registers"]["STATUS"]
    assert {node for node in tree.nodes if status[node] & LATE} == way
    wanted = operations[0].results(32)
    assert all(tuple(word[1] for word in came) == wanted for came in record["results"].values())


def _below(tree, node):
    """Return a node of a tree and all below it."""
    found = {node}
    for end in sorted(tree.parents, key=tree.levels.__getitem__):
        if tree.parents[end] in found:
            found.add(end)
    return found


@pytest.mark.core
@pytest.mark.parametrize(
    "run", [play_golden, pytest.param(play, marks=[pytest.mark.soak, pytest.mark.cosim])], ids=["golden", "rtl"]
)
def test_a_member_that_never_comes_is_found(run):
    """The run hangs; from the root on, WAIT leads down to it; only its tree stops, and is built anew without it."""
    config, generator = configured(3, runs=1), random.Random(5)
    trees = plan_groups(3, [range(4), range(4, 8)])
    operations = [[Collective("all-reduce", vectors(generator, tree.members, 30))] for tree in trees]
    missing = next(node for node in trees[0].members if trees[0].levels[node] == 2)
    both = [
        group(config, trees[0], operations[0], orders={missing: ()}),
        group(config, trees[1], operations[1]),
    ]
    others = plan_group(3, range(4), faults=[missing])
    redone = [Collective("all-reduce", vectors(generator, others.members, 5))]
    record = run(config, both, again=[group(config, others, redone)], load=0.2)
    assert record["stalled"] and not any(record["results"][str(node)] for node in trees[0].members)
    assert all(len(record["results"][str(node)]) == 30 for node in trees[1].members)
    node, waits, children = trees[0].root, record["registers"]["WAIT"], trees[0].children()
    while waits[node] & 6:
        node = children[node][1 if waits[node] & 4 else 0]
    assert node == missing and children[node] == (-1, -1) and not waits[node]
    check(record["again"], config, others, redone)


class Pair:
    """Node 0 and its child, node 1, which offer words and take results.

    Parameters
    ----------
    config : ReductionConfig
        Parameters of the network, a square.
    """

    def __init__(self, config):
        """Begin in reset: neither offers anything."""
        self.twin, self.operators = ReductionNetwork(config), Operators(config, nodes=config.nodes)
        self.words, self.results, self.offering, self.takes = {0: [], 1: []}, {0: [], 1: []}, set(), True

    def step(self, register=Register.CTRL, values=(), cycles=1):
        """Pass cycles, and write a register of some nodes in the first."""
        for cycle in range(cycles):
            self._cycle(register, {} if cycle else dict(values))

    def _cycle(self, register, values):
        """Write, offer, and take."""
        offered = {node: self.words[node][0] for node in self.offering if self.words[node]}
        inputs = {
            "reduction_address": sum(int(register) << ADDRESS_BITS * node for node in values),
            "reduction_write": sum(1 << node for node in values),
            "reduction_write_data": sum(value << DATA_BITS * node for node, value in values.items()),
            "own_valid": sum(1 << node for node in offered),
            "own_data": sum(word << 32 * node for node, word in offered.items()),
            "own_last": 0b11,
            "result_ready": 0b11 * self.takes,
        }
        outputs = self.twin.step(inputs | self.operators.next())
        self.operators.saw(outputs)
        for node in (0, 1):
            if node in offered and outputs["own_ready"] >> node & 1:
                self.words[node].pop(0)
            if self.takes and outputs["result_valid"] >> node & 1:
                error = outputs["result_error"] >> node & 1
                self.results[node].append((item(outputs["result_data"], node, 32), error))

    def plan(self):
        """Write both nodes' places in the tree."""
        self.step(Register.TREE, {0: tree_word(None, None, 0), 1: tree_word(0, None, None)})

    def add(self):
        """Give both nodes words whose sums tell them apart; return what both have to get."""
        self.words = {0: [100 * place for place in range(1, 9)], 1: list(range(1, 9))}
        return [(101 * place, 0) for place in range(1, 9)]


@pytest.mark.parametrize("stopped", [True, False])
@pytest.mark.parametrize("order", [(0, 1), (1, 0)])
def test_nodes_leave_an_abort_one_by_one(order, stopped):
    """Root and child, 8 cycles apart, in any order: all sums are right. A node offers words as soon as none of its own
    is dropped: from CTRL := 0 in both on, or from ENABLE straight after ABORT."""
    pair = Pair(configured(2, runs=1))
    wanted = pair.add()
    pair.step(Register.CTRL, dict.fromkeys(order, ABORT), cycles=41)
    if stopped:
        pair.step(Register.CTRL, dict.fromkeys(order, 0))
        pair.offering |= {0, 1}
    pair.plan()
    for node in order:
        pair.step(Register.CTRL, {node: ENABLE | MEMBER | DELIVER})
        pair.offering.add(node)
        pair.step(cycles=8)
    pair.step(cycles=40)
    assert pair.results[0] == pair.results[1] == wanted


def aborted(config, cycles):
    """Return whether all sums are right behind an abort of so many cycles, which began when node 1 was full."""
    pair, both = Pair(config), (0, 1)
    pair.takes, pair.offering, pair.words[1] = False, {1}, [7] * 100
    pair.plan()
    pair.step(Register.CTRL, dict.fromkeys(both, ENABLE | MEMBER | DELIVER), cycles=200)
    pair.words[1] = []
    pair.step(Register.CTRL, dict.fromkeys(both, ABORT), cycles=cycles + 1)
    pair.step(Register.CTRL, dict.fromkeys(both, 0))
    pair.plan()
    pair.step(Register.CTRL, dict.fromkeys(both, ENABLE | MEMBER | DELIVER))
    wanted, pair.takes, pair.offering = pair.add(), True, {0, 1}
    pair.step(cycles=300)
    return pair.results[0] == pair.results[1] == wanted


@pytest.mark.parametrize("latency", [0, 1, 3, 14])
@pytest.mark.parametrize("depth", [4, 16])
def test_how_long_an_abort_lasts(depth, latency):
    """4 n cycles, and as many as the longer queue has words, which may be that behind an operator."""
    config = dataclasses.replace(configured(2, runs=1, reduce_depth=depth), operator_latency=latency)
    behind = config.stage_shape.depth if latency else 0
    assert aborted(config, 8 + max(depth, behind))
    assert aborted(config, 8 + depth) == (behind <= 8 + depth)


@pytest.mark.parametrize(
    "run", [play_golden, pytest.param(play, marks=[pytest.mark.soak, pytest.mark.cosim])], ids=["golden", "rtl"]
)
def test_another_order_is_found(run):
    """Odd nodes of one of two groups swap two operations, of four words and of two: nothing hangs, for words meet by
    position; those whose operation or end differs are marked, and the third, a sum of words of both, is not."""
    config, generator = configured(3, runs=1), random.Random(5)
    trees = plan_groups(3, [range(4), range(4, 8)])
    swapped = [
        Collective("all-reduce", vectors(generator, trees[0].members, 4)),
        Collective("all-reduce", vectors(generator, trees[0].members, 2), Operation.MAX),
    ]
    others = [Collective("all-reduce", vectors(generator, trees[1].members, 30))]
    odd = {node: (1, 0) for node in trees[0].members if node & 1}
    groups = [group(config, trees[0], swapped, orders=odd), group(config, trees[1], others)]
    record = run(config, groups, load=0.3, least=200)
    assert not record["stalled"] and record["packets"]["words"]
    for node in trees[0].members:
        assert [word[3] for word in record["results"][str(node)]] == [1, 1, 0, 1, 1, 1]
    assert all([word[1] for word in record["results"][str(node)]] != swapped[0].results(32) for node in odd)
    status = record["registers"]["STATUS"]
    assert any(status[node] & MISMATCH for node in trees[0].nodes)
    assert all(status[node] & ERROR for node in trees[0].nodes)
    for node in trees[1].members:
        assert [tuple(word[1:]) for word in record["results"][str(node)]] == [
            (word, int(place == 29), 0) for place, word in enumerate(others[0].results(32))
        ]
        assert status[node] == IDLE


@pytest.mark.soak
def test_results_are_right_around_faults():
    """All sets of up to five dead nodes of the 3-cube; drawn ones of the 4-cube and the 6-cube, with dead links."""
    generator = random.Random(9)
    cases = [(3, (), [node for node in range(8) if mask >> node & 1]) for mask in range(255) if mask.bit_count() < 6]
    for dim, count in ((3, 100), (4, 60), (6, 6)):
        for _ in range(count):
            ends = generator.sample(range(1 << dim), generator.randrange(1, 2 * dim))
            links = [(node, node ^ 1 << generator.randrange(dim)) for node in ends]
            cases.append((dim, links, generator.sample(range(1 << dim), generator.randrange(dim))))
    for dim, links, faults in cases:
        config, tree = configured(dim, runs=1), plan_group(dim, links=links, faults=faults)
        operations = [Collective("all-reduce", vectors(generator, tree.members, 4))]
        record = play_golden(config, [group(config, tree, operations)], faults=vectors_of(dim, links, faults))
        check(record, config, tree, operations)
        assert record["cycles"] == join_cycles(tree) + 3


def test_no_word_goes_over_a_dead_link():
    """A tree of all links, planned without the fault: nothing comes to an end."""
    config, tree, generator = configured(3, runs=1), plan_group(3), random.Random(3)
    operations = [Collective("all-reduce", vectors(generator, tree.members, 4))]
    child, parent = next(iter(tree.parents.items()))
    for links, faults in (([(child, parent)], []), ([], [child])):
        record = play_golden(config, [group(config, tree, operations)], faults=vectors_of(3, links, faults))
        assert record["stalled"] and not any(record["results"].values())


def mended(config, seed):
    """Cut links of a tree for a while, under operations; return how many results were marked."""
    twin, rounds = ReductionNetwork(config, probe=True), stimulus(random.Random(seed), config, ("mend",) * 3)
    inputs, outputs, marked = {}, None, 0
    while True:
        try:
            inputs |= rounds.send(outputs)
        except StopIteration:
            return marked
        outputs = twin.step(inputs)
        marked += (outputs["result_valid"] & outputs["result_error"]).bit_count()


@pytest.mark.parametrize("registers", [0, 1])
def test_what_follows_words_that_a_cut_link_lost_is_marked(registers):
    """Without registers on the links nothing is lost, and nothing is marked."""
    config = configured(2, depth=8, link_regs=registers, reduce_depth=8)
    assert all(bool(mended(config, seed)) == bool(registers) for seed in range(4))


def test_results_that_are_not_marked_are_noticed(monkeypatch):
    """A unit that forgets that words were lost."""
    monkeypatch.setattr(ReductionUnit, "broken", property(lambda _: 0, lambda *_: None), raising=False)
    config = configured(2, depth=8, link_regs=1, output_register=True, reduce_depth=16)
    with pytest.raises(AssertionError, match=r"node \d gets"):
        for seed in range(20):
            mended(config, seed)
