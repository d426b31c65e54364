"""Faulty links and nodes of a tree communication: algorithm DETECT, who is connected, detours, data distribution."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from cubecast.golden.common.algorithms.address import check_dim, check_integer, neighbour
from cubecast.golden.common.algorithms.faults import check_faults, check_links

__all__ = [
    "check_words",
    "connected_to",
    "detect",
    "detect_steps",
    "distribute",
    "exclude",
    "isolated",
    "shortest_path",
]


def detect(dim: int, links: Iterable[Sequence[int]] = (), nodes: Iterable[int] = ()) -> tuple[int, ...]:
    """Return the fault word of every node as it is after algorithm DETECT.

    In step i every fault-free node sends a test message in dimension i; where none comes in, bit i is set. A node
    cannot tell a dead neighbour from a dead link. The word of a faulty node is all ones: that is what its neighbours
    keep for it.

    Parameters
    ----------
    dim : int
        1 to 20.
    links : iterable of pairs of int
        Faulty links, by their ends.
    nodes : iterable of int
        Faulty nodes.

    Returns
    -------
    tuple of int
        By node; bit i is 1 when the link in dimension i, or the node behind it, is faulty.

    Raises
    ------
    ValueError
        A value is out of range, or a link does not join neighbours.

    Source
    ------
    Leu and Kuo, section 3.1, figure 7, and section 3.3.
    """
    dim = check_dim(dim)
    dead_links = check_links(links, dim)
    dead = check_faults(nodes, dim)
    words = [0] * (1 << dim)
    for a, b in dead_links:
        words[a] |= a ^ b
        words[b] |= a ^ b
    for node in dead:
        words[node] = (1 << dim) - 1
        for i in range(dim):
            words[neighbour(node, i)] |= 1 << i
    return tuple(words)


def detect_steps(dim: int, *, full_duplex: bool = True) -> int:
    """Return the parallel steps of algorithm DETECT: one for each dimension, two where a link is half-duplex.

    Source
    ------
    Leu and Kuo, section 3.1, figure 8.
    """
    return check_dim(dim) * (1 if full_duplex else 2)


def check_words(dim: int, words: Sequence[int]) -> tuple[int, ...]:
    """Return the fault words of all nodes, if they are such.

    Raises
    ------
    ValueError
        There is not one for each node, one is out of range, or the two ends of a link disagree.
    """
    dim = check_dim(dim)
    if len(words) != 1 << dim:
        raise ValueError(f"words must be {1 << dim}, one for each node, not {len(words)}")
    checked = tuple(check_integer("fault word", word, 0, (1 << dim) - 1) for word in words)
    for node, word in enumerate(checked):
        while word:
            bit = word & -word
            if not checked[node ^ bit] & bit:
                raise ValueError(f"words must agree on both ends of a link, not differ on {node} and {node ^ bit}")
            word ^= bit
    return checked


def isolated(dim: int, words: Sequence[int]) -> frozenset[int]:
    """Return the nodes whose word is all ones: faulty, or with no link left."""
    return frozenset(node for node, word in enumerate(words) if word == (1 << dim) - 1)


def connected_to(sink: int, dim: int, words: Sequence[int]) -> frozenset[int]:
    """Return the nodes that ``sink`` reaches over good links, itself included."""
    found = {sink}
    edge = [sink]
    for node in edge:
        for j in range(dim):
            end = node ^ 1 << j
            if not words[node] >> j & 1 and end not in found:
                found.add(end)
                edge.append(end)
    return frozenset(found)


def exclude(dim: int, words: Sequence[int], nodes: Iterable[int]) -> tuple[int, ...]:
    """Return the words with ``nodes`` treated as faulty: theirs all ones, and the bits of their neighbours set."""
    changed = list(words)
    for node in nodes:
        changed[node] = (1 << dim) - 1
        for j in range(dim):
            changed[node ^ 1 << j] |= 1 << j
    return tuple(changed)


def shortest_path(start: int, end: int, dim: int, words: Sequence[int]) -> tuple[int, ...] | None:
    """Return the nodes of a shortest way over good links, both ends included; None if there is none.

    Among shortest ways each hop takes the lowest dimension that leads closer.
    """
    hops = {end: 0}
    edge = [end]
    for node in edge:
        if node == start:
            break
        for j in range(dim):
            before = node ^ 1 << j
            if not words[node] >> j & 1 and before not in hops:
                hops[before] = hops[node] + 1
                edge.append(before)
    if start not in hops:
        return None
    way = [start]
    while way[-1] != end:
        here = way[-1]
        closer = (
            here ^ 1 << j
            for j in range(dim)
            if not words[here] >> j & 1 and hops.get(here ^ 1 << j, hops[here]) < hops[here]
        )
        way.append(next(closer))
    return tuple(way)


def distribute(length: int, nodes: Iterable[int]) -> dict[int, range]:
    """Return uniform data distribution: which of ``length`` items each of ``nodes`` gets.

    Shares are contiguous, in ascending order of the nodes, and their sizes differ by one at most.

    Raises
    ------
    ValueError
        ``length`` is negative, or there is no node.

    Source
    ------
    Leu and Kuo, section 3.3. Only nodes that can reach the sink may be given.
    """
    length = check_integer("length", length, 0, 1 << 62)
    members = sorted(set(nodes))
    if not members:
        raise ValueError("nodes must hold at least one node, not none")
    count = len(members)
    return {node: range(i * length // count, (i + 1) * length // count) for i, node in enumerate(members)}
