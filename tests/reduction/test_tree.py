"""Trees of a reduction: two children at most, least depth, around what is dead; what is excluded is said."""

import itertools
import random
from functools import cache

import pytest

from cubecast.golden.crosspoint.contract.config import CrosspointConfig
from cubecast.golden.reduction.algorithms.tables import tree_tables
from cubecast.golden.reduction.algorithms.tree import (
    CHILDREN,
    NoTreeError,
    join_cycles,
    plan_contexts,
    plan_group,
    plan_groups,
)
from cubecast.golden.reduction.contract.config import ReductionConfig

LINKS = [(a, a | 1 << j) for a in range(8) for j in range(3) if not a >> j & 1]


def good_links(dim, links, faults):
    """Return the links that are left, in both directions."""
    dead = {frozenset(link) for link in links}
    return {
        (node, node ^ 1 << j)
        for node in range(1 << dim)
        for j in range(dim)
        if not {node, node ^ 1 << j} & set(faults) and frozenset((node, node ^ 1 << j)) not in dead
    }


def parts(nodes, good):
    """Return the connected parts of some nodes."""
    left, found = set(nodes), []
    while left:
        part, waiting = set(), [min(left)]
        while waiting:
            node = waiting.pop()
            part.add(node)
            waiting += [end for begin, end in good if begin == node and end in left - part]
        left -= part
        found.append(part)
    return found


def check(tree, group, links=(), faults=()):
    """Check a tree over a group; return its good links."""
    good = good_links(tree.dim, links, faults)
    assert all((node, parent) in good for node, parent in tree.parents.items())
    assert max(map(list(tree.parents.values()).count, tree.parents.values()), default=0) <= CHILDREN
    assert set(tree.levels) == set(tree.nodes)
    assert all(tree.levels[node] == tree.levels[parent] + 1 for node, parent in tree.parents.items())
    assert set(tree.members) | set(tree.excluded) == set(group) and not set(tree.members) & set(tree.excluded)
    return good


def classes():
    """Return one of each class of sets of dead links of the 3-cube that its symmetries take into each other."""
    maps = []
    for order in itertools.permutations(range(3)):
        for shift in range(8):
            moved = [sum((node >> j & 1) << order[j] for j in range(3)) ^ shift for node in range(8)]
            maps.append([LINKS.index(tuple(sorted((moved[a], moved[b])))) for a, b in LINKS])
    seen, found = set(), []
    for mask in range(1 << len(LINKS)):
        if mask not in seen:
            ones = [place for place in range(len(LINKS)) if mask >> place & 1]
            seen |= {sum(1 << moved[place] for place in ones) for moved in maps}
            found.append([LINKS[place] for place in ones])
    return found


def exact_depth(nodes, good):
    """Return the least depth of a tree over connected nodes with two children at most, by trying all of them."""
    near = {node: frozenset(end for begin, end in good if begin == node and end in nodes) for node in nodes}

    @cache
    def below(left, level):
        """Return the levels that the nodes left need below a level, infinite if there is no way."""
        if not left:
            return 0
        best = float("inf")
        choices = [sorted(near[node] & left) for node in level]
        picks = [[pick for size in range(3) for pick in itertools.combinations(ends, size)] for ends in choices]
        for chosen in itertools.product(*picks):
            placed = frozenset(itertools.chain(*chosen))
            if placed and len(placed) == sum(map(len, chosen)):
                best = min(best, 1 + below(left - placed, placed))
        return best

    return min(below(frozenset(nodes) - {root}, frozenset({root})) for root in nodes)


def test_without_faults_the_depth_is_that_of_the_cube():
    """And an all-reduce of one word in the 6-cube takes no more than the 42 cycles aimed at."""
    for dim in range(1, 7):
        tree = plan_group(dim)
        check(tree, range(1 << dim))
        assert tree.depth == tree.least == dim and tree.relays == tree.excluded == ()
    assert join_cycles(tree) <= 42


@pytest.mark.soak
@pytest.mark.parametrize("dim", [7, 8, 9, 10])
def test_without_faults_large_cubes_have_a_tree_that_is_hardly_deeper(dim):
    """Of depth n no tree is found from n = 8 on."""
    tree = plan_group(dim)
    check(tree, range(1 << dim))
    assert tree.depth == dim + (dim > 7)


def test_all_dead_links_of_the_3_cube():
    """One set of each class: a tree over the largest part, deeper than a bound only where no other is there."""
    found = classes()
    assert len(found) == 144
    deeper = 0
    for links in found:
        tree = plan_group(3, links=links)
        good = check(tree, range(8), links)
        assert len(tree.members) == max(map(len, parts(range(8), good)))
        if tree.depth > tree.least:
            deeper += 1
            assert tree.depth == exact_depth(tree.nodes, good)
    assert deeper


def test_all_dead_nodes_of_the_3_cube():
    """All 255 sets that leave a node; dead nodes and those that nothing connects are excluded."""
    for mask in range(255):
        faults = [node for node in range(8) if mask >> node & 1]
        tree = plan_group(3, faults=faults)
        good = check(tree, range(8), faults=faults)
        assert len(tree.members) == max(map(len, parts(set(range(8)) - set(faults), good)))
        assert len(faults) > 2 or join_cycles(tree) <= 1 + 6 * 3 + 6


@pytest.mark.parametrize("dim", [4, 5, 6])
def test_faults_of_larger_cubes(dim):
    """Sampled: up to n - 1 dead nodes, or 2 n links; the depth is the bound's or one more."""
    generator = random.Random(dim)
    for _ in range(2 if dim == 6 else 3):
        faults = generator.sample(range(1 << dim), generator.randrange(1, dim))
        tree = plan_group(dim, faults=faults)
        check(tree, range(1 << dim), faults=faults)
        assert tree.depth <= tree.least + 1 and join_cycles(tree) <= 1 + 6 * dim + 6
        links = [(node, node ^ 1 << generator.randrange(dim)) for node in generator.sample(range(1 << dim), 2 * dim)]
        tree = plan_group(dim, links=links)
        check(tree, range(1 << dim), links)
        assert tree.depth <= tree.least + 1


@pytest.mark.soak
def test_all_sets_of_up_to_three_dead_nodes_of_the_4_cube():
    """697 of them, which cut off no other node; the depth is the bound's or one more."""
    for count in range(4):
        for faults in itertools.combinations(range(16), count):
            tree = plan_group(4, faults=faults)
            check(tree, range(16), faults=faults)
            assert tree.excluded == faults and tree.depth <= tree.least + 1 and join_cycles(tree) <= 1 + 6 * 4 + 6


@pytest.mark.soak
def test_faults_of_larger_cubes_often():
    """Up to n - 1 dead nodes and 20 dead links: the depth is that of the cube in all of 240 patterns of the 6-cube."""
    generator = random.Random(6)
    for _ in range(120):
        faults = generator.sample(range(64), generator.choice((1, 3, 5)))
        tree = plan_group(6, faults=faults)
        check(tree, range(64), faults=faults)
        assert tree.depth == 6 and len(tree.excluded) == len(faults) and join_cycles(tree) <= 42
        links = [(node, node ^ 1 << generator.randrange(6)) for node in generator.choices(range(64), k=20)]
        tree = plan_group(6, links=links)
        check(tree, range(64), links)
        assert tree.depth == 6


def test_three_children_are_said_to_be_needed():
    """A node with four neighbours, and nothing else: the node in the middle has three children."""
    star = [0, 1, 2, 4, 8]
    with pytest.raises(NoTreeError, match=r"^no tree with 2 children at most was found over 5 nodes; one with 3"):
        plan_group(4, faults=set(range(16)) - set(star))
    tree = plan_group(4, faults=set(range(16)) - set(star[:4]))
    assert tree.depth == 2


def test_groups_work_side_by_side():
    """Subcubes, and any disjoint sets: trees have no node in common, and free nodes join what is not connected."""
    faces = plan_groups(4, [range(8), range(8, 16)])
    assert [tree.depth for tree in faces] == [3, 3] and not any(tree.relays for tree in faces)
    generator = random.Random(3)
    relayed = 0
    for _ in range(5):
        nodes = generator.sample(range(32), 20)
        groups = [nodes[:7], nodes[7:12]]
        trees = plan_groups(5, groups)
        for tree, group in zip(trees, groups, strict=True):
            check(tree, group)
            relayed += bool(tree.relays)
        assert not set(trees[0].nodes) & set(trees[1].nodes)
    assert relayed
    apart = plan_group(3, [0, 3])
    assert (apart.members, apart.excluded) == ((0,), (3,))
    joined = plan_group(3, [0, 3], free=[1])
    assert (joined.members, joined.relays, joined.excluded) == ((0, 3), (1,), ())


def test_the_bound_is_one_for_trees_with_relays():
    """No tree that is found has less depth: all groups of the 3-cube, drawn ones of the 5-cube with dead links. And it
    is the members' distance, or what two children a node allow."""
    generator = random.Random(8)
    cases = [(3, [node for node in range(8) if mask >> node & 1], []) for mask in range(1, 256)]
    for _ in range(20):
        ends = generator.sample(range(32), 8)
        links = [(node, node ^ 1 << generator.randrange(5)) for node in ends]
        cases.append((5, generator.sample(range(32), generator.randrange(2, 12)), links))
    relayed = 0
    for dim, group, links in cases:
        tree = plan_group(dim, group, links, free=set(range(1 << dim)) - set(group))
        assert tree.least <= tree.depth, f"{group}, {links}"
        relayed += bool(tree.relays)
        apart = max((a ^ b).bit_count() for a in tree.members for b in tree.members)
        assert tree.least >= -(-apart // 2) and 2 ** (tree.least + 1) > len(tree.members)
    assert relayed > 50
    pair = plan_group(3, [0, 3], free={1, 2, 4, 5, 6, 7})
    assert (pair.depth, pair.least, pair.relays) in ((1, 1, (1,)), (1, 1, (2,)))


@pytest.mark.parametrize(("members", "root"), [((0, 3, 5), 0), ((0, 3), 1), (tuple(range(8)), 0)])
def test_tables_are_those_of_the_tree(members, root):
    """Parents and children name each other's link; members offer and get, others only pass on."""
    config = ReductionConfig(router=CrosspointConfig(dim=3))
    tree = plan_group(3, members, free=[1])
    tables = tree_tables(config, tree)
    assert set(tables) == {1, *members} and root not in tree.parents
    for node, table in tables.items():
        parent, *below = (table["TREE"] >> low & 15 for low in (0, 4, 8))
        assert tree.parents.get(node, -1) == (-1 if parent == 15 else node ^ 1 << parent)
        assert {node ^ 1 << j for j in below if j != 15} == {end for end in tree.nodes if tree.parents.get(end) == node}
        assert table["CTRL"] == (13 if node in members else 1)
    with pytest.raises(ValueError, match="tree must be of a 3-cube, not of a 4-cube"):
        tree_tables(config, plan_group(4))


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"dim": 11}, "dim must be an integer from 1 to 10, not 11"),
        ({"members": [8]}, "member must be an integer from 0 to 7, not 8"),
        ({"members": []}, "members must be one node at least, not none"),
        ({"members": [1], "faults": [1]}, "members must leave a node that is not dead, not [1]"),
        ({"links": [(0, 3)]}, "link must join neighbours, not 0 and 3"),
        ({"faults": [9]}, "fault must be an integer from 0 to 7, not 9"),
    ],
)
def test_wrong_arguments(arguments, message):
    """One line with the name, the value and what is allowed."""
    with pytest.raises(ValueError) as error:
        plan_group(**{"dim": 3} | arguments)
    assert str(error.value) == message


def test_a_node_is_in_one_group():
    """Two trees would need its unit."""
    with pytest.raises(ValueError, match="groups must be disjoint, not both 0 and 1 with node 2"):
        plan_groups(3, [[1, 2], [2, 3]])


@pytest.mark.parametrize("dim", [2, 3, 4, 6])
def test_rows_and_columns_are_in_two_contexts(dim):
    """All rows in one, all columns in the other, each with its own tree, also around dead nodes."""
    low = (1 << dim // 2) - 1
    nodes = range(1 << dim)
    rows = [[node for node in nodes if node & low == part] for part in range(low + 1)]
    columns = [[node for node in nodes if node & ~low == part] for part in range(0, 1 << dim, low + 1)]
    groups = [group for pair in itertools.zip_longest(rows, columns) for group in pair if group]
    found = plan_contexts(dim, groups, faults=[0])
    assert [context for context, _ in found] == [int(group in columns) for group in groups]
    for (_, tree), group in zip(found, groups, strict=True):
        check(tree, group, faults=[0])
    for context in range(2):
        used = [node for mine, tree in found for node in tree.nodes if mine == context]
        assert sorted(used) == list(range(1, 1 << dim))


def test_contexts_are_drawn_groups_own():
    """Of drawn groups: those with a common node differ; where no two contexts do, the cube says so."""
    generator, seen = random.Random(4), set()
    for _ in range(150):
        groups = [generator.sample(range(8), generator.randint(1, 3)) for _ in range(generator.randint(1, 4))]
        common = [
            (a, b) for a, b in itertools.combinations(range(len(groups)), 2) if not set(groups[a]).isdisjoint(groups[b])
        ]
        choices = itertools.product(range(2), repeat=len(groups))
        possible = any(all(choice[a] != choice[b] for a, b in common) for choice in choices)
        try:
            contexts = [context for context, _ in plan_contexts(3, groups)]
        except NoTreeError:
            continue
        except ValueError as error:
            assert str(error).startswith("contexts must be more than 2 for groups ") and not possible
            seen.add("refused")
            continue
        assert possible and all(contexts[a] != contexts[b] for a, b in common)
        seen.add("common" if common else "apart")
    assert seen == {"refused", "common", "apart"}


def test_one_context_takes_groups_apart_alone():
    """Else one line, with the groups and a node of both."""
    assert [context for context, _ in plan_contexts(2, [[0, 1], [2, 3]], contexts=1)] == [0, 0]
    with pytest.raises(ValueError, match=r"^contexts must be more than 1 for groups 0 and 1 with node 1$"):
        plan_contexts(2, [[0, 1], [1, 3]], contexts=1)
    with pytest.raises(ValueError, match=r"^contexts must be an integer from 1 to 2, not 3$"):
        plan_contexts(2, [[0, 1]], contexts=3)
