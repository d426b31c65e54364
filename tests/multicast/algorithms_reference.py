"""Definitions the tests of the algorithms are measured by; written from the text, sharing nothing with the model."""

from __future__ import annotations

import functools
import itertools

import numpy as np
from hypothesis import strategies as st

__all__ = [
    "all_fault_sets",
    "broadcast_f3_literal",
    "cheapest_by_closed_sets",
    "cheapest_by_link_sets",
    "multicast_f1_literal",
    "requests",
    "rule_holds",
    "turns",
    "unicast_f1_literal",
    "verify_tree",
]


def neighbours(n, node):
    """Return the nodes whose address differs in one bit."""
    return [v for v in range(2**n) if (v ^ node).bit_count() == 1]


def rule_holds(n, faults):
    """Return whether every fault-free node has at most one faulty neighbour."""
    return all(len(faults & set(neighbours(n, node))) <= 1 for node in range(2**n) if node not in faults)


@functools.cache
def all_fault_sets(n):
    """Return every fault set of the n-cube, n = 3 or 4, that obeys the rule and is not the whole cube.

    Such a set is a union of subcubes at mutual distance 3 or more (proven exhaustively by the tests).
    """
    cubes = set()
    for fixed in range(2**n):
        for value in range(2**n):
            cube = frozenset(v for v in range(2**n) if v & fixed == value & fixed)
            if len(cube) < 2**n:
                cubes.add(cube)
    found = {frozenset()} | cubes
    for one, other in itertools.combinations(cubes, 2):
        if apart(one, other):
            found.add(one | other)
    return sorted(found, key=lambda f: (len(f), sorted(f)))


def apart(one, other):
    """Return whether every node of one set is at distance 3 or more from every node of the other."""
    return all((a ^ b).bit_count() >= 3 for a in one for b in other)


def verify_tree(tree, promised=None):
    """Assert that a tree is a multicast tree in the sense of section 4.2, from its list of links alone.

    ``promised`` are the destinations that must be reached; all of them when it is not given.
    """
    promised = set(tree.destinations if promised is None else promised)
    parents = {}
    for start, end in tree.edges:
        assert (start ^ end).bit_count() == 1
        assert end not in parents, "a node is entered twice"
        parents[end] = start
    assert tree.source not in parents
    assert set(tree.nodes) == {tree.source, *parents}
    assert not set(tree.nodes) & tree.faults
    depth = 0
    for node in tree.nodes:
        steps = 0
        at = node
        while at != tree.source:
            at = parents[at]
            steps += 1
        assert steps == (node ^ tree.source).bit_count()
        depth = max(depth, steps)
    assert promised <= set(tree.nodes)
    assert promised <= set(tree.delivered)
    assert set(tree.delivered) <= set(tree.destinations) & set(tree.nodes)
    assert set(tree.undeliverable) == set(tree.destinations) - set(tree.delivered)
    assert (tree.traffic, tree.time) == (len(parents), depth)


def multicast_f1_literal(n, node, destinations, fault_vector):
    """Run figure 7.7 at one node, with the corrections L2, L3 and L14; return [(dimension, sublist), ..]."""
    k = len(destinations)
    b = np.array([[(destination ^ node) >> j & 1 for j in range(n)] for destination in destinations]).reshape(k, n)
    f = [fault_vector >> j & 1 for j in range(n)]
    sent = []
    while True:
        c = [0 if f[j] else int(b[:, j].sum()) for j in range(n)]
        chosen = next(column for column in range(n) if all(c[column] >= c[j] for j in range(n)))
        if c[chosen] == 0:
            return sent
        sublist = []
        for i in range(k):
            if b[i, chosen]:
                sublist.append(destinations[i])
                b[i, :] = 0
        sent.append((chosen, tuple(sublist)))


def unicast_f1_literal(n, source, destination, faults):
    """Run figure 7.3 from node to node (i starts at 1, L12); return the path."""
    path = [source]
    while path[-1] != destination:
        relative = path[-1] ^ destination
        useful = [j for j in range(n) if relative >> j & 1]
        i = 1
        while path[-1] ^ 1 << useful[i - 1] in faults:
            i += 1
        path.append(path[-1] ^ 1 << useful[i - 1])
    return tuple(path)


def broadcast_f3_literal(n, control, f):
    """Run figure 7.5 at one node on lists of bits; return [(dimension, control vector), ..]."""
    sent = []
    for j in range(n):
        if control[j] == 1 and f[j] == 0:
            new = []
            for b in range(n):
                if control[b] == 1 and (b > j or f[b] == 1):
                    new.append(1)
                else:
                    new.append(0)
            # bit j of its own vector: f_j is 0 and j > j is false, so it is always 0
            sent.append((j, new))
    return sent


def turns(path):
    """Return how often a path that was setting address bits starts to clear them again."""
    rising = [end > start for start, end in itertools.pairwise(path)]
    return sum(before and not after for before, after in itertools.pairwise(rising))


@functools.cache
def cheapest_by_link_sets(faults):
    """Return for n = 3 and source 0 the least number of links by set of destinations (bit v = node v), or None.

    All 4096 sets of links that lead away from the source are tried.
    """
    links = [(v, v | 1 << j) for v in range(8) for j in range(3) if not v >> j & 1]
    outwards = sorted(enumerate(links), key=lambda item: item[1][0].bit_count())
    best = {}
    for chosen in range(2 ** len(links)):
        reached = {0}
        count = 0
        for index, (start, end) in outwards:
            if chosen >> index & 1:
                count += 1
                if start in reached and end not in faults:
                    reached.add(end)
        key = frozenset(reached)
        best[key] = min(best.get(key, count), count)
    return {
        wanted: min((cost for reached, cost in best.items() if reached >= set(wanted)), default=None)
        for size in range(1, 8)
        for wanted in itertools.combinations(range(1, 8), size)
    }


@functools.cache
def cheapest_by_closed_sets(n, faults):
    """Return for source 0 an array: least traffic by set of destinations (bit v = node v), 99 if impossible.

    The nodes of a tree besides the source form a set in which each has a predecessor in the set or the source;
    each such set is a tree of as many links. All sets of nodes are tried, n <= 4.
    """
    sets = np.arange(2 ** (2**n))
    sets = sets[sets & 1 == 1]
    closed = np.ones(len(sets), dtype=bool)
    for v in range(1, 2**n):
        before = sum(1 << (v ^ 1 << j) for j in range(n) if v >> j & 1)
        inside = sets >> v & 1 == 1
        closed &= ~inside | ((sets & before != 0) & (v not in faults))
    cost = np.full(2 ** (2**n), 99, dtype=np.int8)
    cost[sets[closed]] = [chosen.bit_count() - 1 for chosen in sets[closed].tolist()]
    for v in range(1, 2**n):
        without = sets[sets >> v & 1 == 0]
        cost[without] = np.minimum(cost[without], cost[without | 1 << v])
    return cost


@st.composite
def requests(draw, low=5, high=8, most=12, faulty=True):
    """Draw (n, source, destinations, faults); the faults obey the rule, destinations are fault-free, may repeat."""
    n = draw(st.integers(low, high))
    nodes = st.integers(0, 2**n - 1)
    faults = frozenset()
    for _ in range(draw(st.integers(0, 4)) if faulty else 0):
        base, free = draw(nodes), draw(nodes) & draw(nodes) & draw(nodes)
        cube = frozenset(base & ~free | part for part in range(2**n) if part & ~free == 0)
        if len(cube | faults) < 2**n and apart(cube, faults):
            faults |= cube
    healthy = st.sampled_from([v for v in range(2**n) if v not in faults])
    return n, draw(healthy), tuple(draw(st.lists(healthy, min_size=1, max_size=most))), faults
