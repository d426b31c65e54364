"""Trees of a reduction: spanning trees of least depth with two children at most, around what is dead."""

from __future__ import annotations

import dataclasses
import random as random_module
from collections import deque
from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import Any

from cubecast.golden.common.algorithms.address import check_dim, check_integer, check_node
from cubecast.golden.common.algorithms.faults import Link, check_faults, check_links

__all__ = [
    "CHILDREN",
    "LARGEST_DIM",
    "NoTreeError",
    "ReductionTree",
    "join_cycles",
    "plan_contexts",
    "plan_group",
    "plan_groups",
]

CHILDREN = 2
"""Children that a join unit can have."""

LARGEST_DIM = 10
"""Dimension of the largest crosspoint router."""

TRIES = 24
"""Trees that are drawn for each root and depth until one is found, and in all for the fastest of its depth."""

NODES = 1 << 14
"""Nodes of the trees that are drawn of one depth in one try, which in large cubes are not of all roots."""


class NoTreeError(ValueError):
    """There is no node left, or no tree was found with two children at most."""


@dataclasses.dataclass(frozen=True)
class ReductionTree:
    """A tree, configured at its nodes.

    Parameters
    ----------
    dim : int
        Dimension of the cube.
    root : int
        Node in which all words come together.
    parents : mapping
        Parent of every node of the tree but the root.
    members : tuple of int
        Nodes that offer words and get results, ascending; the others of the tree pass on what comes.
    excluded : tuple of int
        Nodes of the group that take no part: dead, or not connected with most of the others.
    least : int
        A bound: no tree has less depth that spans the members with nodes that :func:`plan_group` could take, which are
        those of the group, and free ones if it is not connected without them.
    """

    dim: int
    root: int
    parents: Mapping[int, int]
    members: tuple[int, ...]
    excluded: tuple[int, ...] = ()
    least: int = 0

    @property
    def nodes(self) -> tuple[int, ...]:
        """All nodes of the tree, ascending."""
        return tuple(sorted((self.root, *self.parents)))

    @property
    def relays(self) -> tuple[int, ...]:
        """Nodes of the tree that are no members, ascending."""
        return tuple(node for node in self.nodes if node not in self.members)

    @property
    def levels(self) -> dict[int, int]:
        """Hops from the root, by node."""
        found = {self.root: 0}
        for node in self.nodes:
            way = []
            while node not in found:
                way.append(node)
                node = self.parents[node]
            for hop, passed in enumerate(reversed(way), found[node] + 1):
                found[passed] = hop
        return found

    @property
    def depth(self) -> int:
        """Hops from the root to the farthest node."""
        return max(self.levels.values())

    def children(self, *, register: bool = True) -> dict[int, tuple[int, int]]:
        """Return children a and b of every node, -1 for none; b is the one whose words come later.

        A word of b is passed on a cycle sooner than one of a; an only child is b.
        """
        times = _times(self, register)[0]
        found: dict[int, list[int]] = {node: [] for node in self.nodes}
        for node, parent in sorted(self.parents.items()):
            found[parent].append(node)
        ordered = {node: sorted(ends, key=lambda end: times[end]) for node, ends in found.items()}
        none = [-1] * CHILDREN
        return {node: ((none + ends)[-2], (none + ends)[-1]) for node, ends in ordered.items()}

    def to_json(self) -> dict[str, Any]:
        """Return the tree as plain values."""
        return {
            "root": self.root,
            "parent": {str(node): parent for node, parent in sorted(self.parents.items())},
            "depth": self.depth,
            "least": self.least,
            "excluded": list(self.excluded),
            "relays": list(self.relays),
        }


def join_cycles(tree: ReductionTree, *, register: bool = True) -> int:
    """Return the cycles of an all-reduce of one word without other traffic, the first and the last included.

    Parameters
    ----------
    tree : ReductionTree
        The tree.
    register : bool
        Whether words from links pass a register of the unit.

    Source: the latencies of docs/reduction_units.md.
    """
    # At the root the word is in r2 when another's would be on its link; then in d, and down hop by hop.
    return _times(tree, register)[1] + 2 + tree.depth * (1 + int(register))


def _times(tree: ReductionTree, register: bool) -> tuple[dict[int, int], int]:
    """Return when the first word of each node is on its link to the parent, own words being offered in cycle 0."""
    times = dict.fromkeys(tree.nodes, 3)
    levels = tree.levels
    below: dict[int, list[int]] = {node: [] for node in tree.nodes}
    for node in sorted(tree.nodes, key=levels.__getitem__, reverse=True):
        if below[node]:
            *others, latest = sorted(below[node])
            times[node] = max(3, latest + 2 + int(register), *(time + 3 + int(register) for time in others))
        if node != tree.root:
            below[tree.parents[node]].append(times[node])
    return times, times[tree.root]


def plan_group(
    dim: int,
    members: Iterable[int] | None = None,
    links: Iterable[Sequence[int]] = (),
    faults: Iterable[int] = (),
    *,
    free: Iterable[int] = (),
    seed: int = 0,
) -> ReductionTree:
    """Return a tree over a group of nodes: of the least depth found, and of these one of the fastest.

    Level by level as many nodes as can be get a parent (a matching with two places at each node of the level before),
    those that are farther from the root first; where the rest of the choice matters, it is drawn anew.

    Parameters
    ----------
    dim : int
        Dimension of the cube, 1 to 10.
    members : iterable of int, optional
        The group; default: all nodes.
    links : iterable of pairs of int
        Dead links, by their ends.
    faults : iterable of int
        Dead nodes.
    free : iterable of int
        Nodes of no group that may pass words on; they are used where the members are not connected without them.
    seed : int
        Of what is drawn.

    Raises
    ------
    NoTreeError
        No node of the group is left, or three children were needed at some node.
    ValueError
        An argument is out of range.
    """
    check_dim(dim, LARGEST_DIM)
    dead = check_faults(faults, dim)
    group = frozenset(range(1 << dim) if members is None else (check_node("member", node, dim) for node in members))
    if not group:
        raise NoTreeError("members must be one node at least, not none")
    good = _graph(dim, check_links(links, dim), dead)
    kept = _largest(group - dead, good)
    spare = frozenset(check_node("free", node, dim) for node in free) - dead - group
    if spare and len(kept) < len(group - dead):
        joined = _component(group - dead | spare, good, group)
        if len(joined & group) > len(kept):
            kept = joined
    if not kept & group:
        raise NoTreeError(f"members must leave a node that is not dead, not {sorted(group)}")
    excluded = tuple(sorted(group - kept))
    near = {node: [end for end in good[node] if end in kept] for node in sorted(kept)}
    found = _search(dim, near, kept & group, excluded, CHILDREN, seed)
    if found is None:
        wider = range(CHILDREN + 1, dim + 1)
        most = next(most for most in wider if _search(dim, near, kept & group, excluded, most, seed) is not None)
        raise NoTreeError(
            f"no tree with {CHILDREN} children at most was found over {len(kept)} nodes; one with {most} there is"
        )
    return found


def plan_groups(
    dim: int,
    groups: Sequence[Collection[int]],
    links: Iterable[Sequence[int]] = (),
    faults: Iterable[int] = (),
    *,
    seed: int = 0,
) -> tuple[ReductionTree, ...]:
    """Return trees of disjoint groups, which work side by side; parameters as those of :func:`plan_group`.

    A node of no group passes words on for one group at most.

    Raises
    ------
    NoTreeError
        As :func:`plan_group`.
    ValueError
        A node is in two groups, or an argument is out of range.
    """
    links = list(links)
    dead = check_faults(faults, check_dim(dim, LARGEST_DIM))
    owners: dict[int, int] = {}
    for place, group in enumerate(groups):
        for node in group:
            if owners.setdefault(check_node("member", node, dim), place) != place:
                raise ValueError(f"groups must be disjoint, not both {owners[node]} and {place} with node {node}")
    free = frozenset(range(1 << dim)) - frozenset(owners)
    trees = []
    for group in groups:
        tree = plan_group(dim, group, links, dead, free=free, seed=seed)
        free -= frozenset(tree.relays)
        trees.append(tree)
    return tuple(trees)


def plan_contexts(
    dim: int,
    groups: Sequence[Collection[int]],
    links: Iterable[Sequence[int]] = (),
    faults: Iterable[int] = (),
    *,
    contexts: int = 2,
    seed: int = 0,
) -> tuple[tuple[int, ReductionTree], ...]:
    """Return context and tree of groups that may overlap; parameters as those of :func:`plan_group`.

    Groups with a common node are in different contexts, so that all work side by side. A dead node counts as common.

    Parameters
    ----------
    contexts : int
        Join units of each node, 1 or 2.

    Raises
    ------
    NoTreeError
        As :func:`plan_group`.
    ValueError
        The groups need more contexts, or an argument is out of range.
    """
    check_integer("contexts", contexts, 1, 2)
    links, dead = list(links), check_faults(faults, check_dim(dim, LARGEST_DIM))
    sets = [frozenset(check_node("member", node, dim) for node in group) for group in groups]
    places = _contexts_of(sets, contexts)
    found: dict[int, ReductionTree] = {}
    for context in range(contexts):
        mine = [place for place, each in enumerate(places) if each == context]
        trees = plan_groups(dim, [sorted(sets[place]) for place in mine], links, dead, seed=seed)
        found |= dict(zip(mine, trees, strict=True))
    return tuple((context, found[place]) for place, context in enumerate(places))


def _contexts_of(groups: Sequence[frozenset[int]], contexts: int) -> list[int]:
    """Return a context for each group, the lowest for the first of those that others hang together with."""
    found: dict[int, int] = {}
    for first in range(len(groups)):
        waiting = deque([first] if found.setdefault(first, 0) == 0 else [])
        while waiting:
            place = waiting.popleft()
            for other, group in enumerate(groups):
                common = group & groups[place] if other != place else ()
                if not common:
                    continue
                if other not in found:
                    found[other] = (found[place] + 1) % contexts
                    waiting.append(other)
                if found[other] == found[place]:
                    pair = f"groups {min(place, other)} and {max(place, other)} with node {min(common)}"
                    raise ValueError(f"contexts must be more than {contexts} for {pair}")
    return [found[place] for place in range(len(groups))]


def _graph(dim: int, links: frozenset[Link], dead: frozenset[int]) -> dict[int, list[int]]:
    """Return the neighbours of every node that is not dead over links that are not."""
    return {
        node: [
            end
            for end in (node ^ 1 << j for j in range(dim))
            if end not in dead and (min(node, end), max(node, end)) not in links
        ]
        for node in range(1 << dim)
        if node not in dead
    }


def _reached(start: int, nodes: Collection[int], good: Mapping[int, Sequence[int]]) -> dict[int, int]:
    """Return the distances within ``nodes`` of those that can be reached from one of them."""
    found, waiting = {start: 0}, deque([start])
    while waiting:
        node = waiting.popleft()
        for end in good[node]:
            if end in nodes and end not in found:
                found[end] = found[node] + 1
                waiting.append(end)
    return found


def _component(nodes: frozenset[int], good: Mapping[int, Sequence[int]], group: frozenset[int]) -> frozenset[int]:
    """Return the connected part of ``nodes`` with most of a group, of equals that with the lowest node."""
    left, best = set(nodes), frozenset[int]()
    while left:
        part = frozenset(_reached(min(left), nodes, good))
        left -= part
        if len(part & group) > len(best & group):
            best = part
    return best


def _largest(nodes: frozenset[int], good: Mapping[int, Sequence[int]]) -> frozenset[int]:
    """Return the largest connected part."""
    return _component(nodes, good, nodes)


def _search(
    dim: int,
    near: Mapping[int, Sequence[int]],
    members: frozenset[int],
    excluded: tuple[int, ...],
    most: int,
    seed: int,
) -> ReductionTree | None:
    """Return a tree over all nodes of ``near``, with ``most`` children at most; None if none is found."""
    check_integer("seed", seed, 0, (1 << 63) - 1)
    random = random_module.Random(seed)
    distances = {node: _reached(node, near, near) for node in near}
    heights = {node: max(found.values()) for node, found in distances.items()}
    # Trees are drawn over all of ``near``; those of the members alone can have less depth.
    radius = min(max(found[node] for node in members) for found in distances.values())
    least = _least(len(members), radius, most)
    for depth in range(_least(len(near), min(heights.values()), most), len(near)):
        roots = [node for node in near if heights[node] <= depth][: NODES // len(near)]
        best: tuple[int, ReductionTree] | None = None
        left = TRIES
        for attempt in range(TRIES):
            for root in roots:
                parents = _draw(root, depth, near, distances[root], most, random, shuffled=attempt > 0)
                if parents is None:
                    continue
                tree = _pruned(ReductionTree(dim, root, parents, tuple(sorted(members)), excluded, least), members)
                best = min(best or (1 << 30, tree), (join_cycles(tree), tree), key=lambda pair: pair[0])
                left -= 1
                if not left:
                    return best[1]
            if best is not None and attempt >= 1:
                break
        if best is not None:
            return best[1]
    return None


def _least(count: int, radius: int, most: int) -> int:
    """Return a depth that no tree over so many nodes can have less of, with so many children."""
    depth, places, level = 0, 1, 1
    while places < count:
        level *= most
        places += level
        depth += 1
    return max(radius, depth)


def _draw(
    root: int,
    depth: int,
    near: Mapping[int, Sequence[int]],
    distances: Mapping[int, int],
    most: int,
    random: random_module.Random,
    *,
    shuffled: bool,
) -> dict[int, int] | None:
    """Return the parents of a tree of at most this depth, level by level; None if some node found none."""
    parents: dict[int, int] = {}
    left = set(near) - {root}
    level = [root]
    for _ in range(depth):
        waiting = sorted(left)
        if shuffled:
            random.shuffle(waiting)
        waiting.sort(key=distances.__getitem__, reverse=True)
        placed = _matched(waiting, frozenset(level), near, most, random if shuffled else None)
        parents |= placed
        left -= placed.keys()
        level = list(placed)
        if not left:
            return parents
    return None if left else parents


def _matched(
    waiting: Sequence[int],
    level: frozenset[int],
    near: Mapping[int, Sequence[int]],
    most: int,
    random: random_module.Random | None,
) -> dict[int, int]:
    """Return parents in a level for as many nodes as can have one, the first ones of ``waiting`` before others."""
    parents: dict[int, int] = {}
    taken: dict[int, list[int]] = {node: [] for node in level}
    choices = {}
    for node in waiting:
        ends = [end for end in near[node] if end in level]
        if random is not None:
            random.shuffle(ends)
        choices[node] = ends

    def place(node: int, tried: set[int]) -> bool:
        """Give a node a parent, moving others if need be."""
        for end in choices[node]:
            if end in tried:
                continue
            tried.add(end)
            if len(taken[end]) < most:
                taken[end].append(node)
                parents[node] = end
                return True
            for other in taken[end]:
                if place(other, tried):
                    taken[end].remove(other)
                    taken[end].append(node)
                    parents[node] = end
                    return True
        return False

    for node in waiting:
        if choices[node]:
            place(node, set())
    return parents


def _pruned(tree: ReductionTree, members: Collection[int]) -> ReductionTree:
    """Return a tree without ends that are no members; a root with one child that is none gives way to it."""
    parents, root = dict(tree.parents), tree.root
    while True:
        inner = set(parents.values())
        ends = [node for node in parents if node not in inner and node not in members]
        for node in ends:
            del parents[node]
        if not ends:
            below = [node for node, parent in parents.items() if parent == root]
            if root in members or len(below) != 1:
                return dataclasses.replace(tree, root=root, parents=parents)
            root = below[0]
            del parents[root]
