"""Communication trees: sink and order of dimensions, roles of the nodes, algorithms FIND_TREE and EXHAUST."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

import numpy as np

from cubecast.golden.collective.algorithms.fault_words import check_words
from cubecast.golden.common.algorithms.address import check_dim, check_node
from cubecast.golden.common.algorithms.faults import Link

__all__ = [
    "ACTIVE",
    "EXHAUST_DIM",
    "IDLE",
    "PASSIVE",
    "NoSinkError",
    "SinkTree",
    "all_trees",
    "best_tree",
    "exhaust",
    "find_tree",
]

ACTIVE, PASSIVE, IDLE = "active", "passive", "idle"

EXHAUST_DIM = 6
"""Largest dimension whose trees are tried one by one: there are 46,080 of them."""


class NoSinkError(ValueError):
    """Every node has a faulty link or a faulty neighbour, or is faulty: there is no sink to merge to."""


@dataclass(frozen=True)
class SinkTree:
    """A binomial tree embedded in the cube, whose links lead to the sink.

    Parameters
    ----------
    dim : int
        Dimension of the cube, 1 to 20.
    sink : int
        Node where everything ends.
    order : tuple of int
        d_0, d_1, ..: the dimension that is crossed in each stage, each dimension once.
    costs : tuple of dict of int to int
        What FIND_TREE compared, first iteration (of the last stage) first: cost by dimension. Not part of the
        identity of the tree.

    Raises
    ------
    ValueError
        A value is out of range, or ``order`` is no permutation of the dimensions.

    Source
    ------
    Leu and Kuo, section 2.2.
    """

    dim: int
    sink: int
    order: tuple[int, ...]
    costs: tuple[dict[int, int], ...] = field(default=(), compare=False, repr=False)

    def __post_init__(self) -> None:
        """Check the values."""
        check_dim(self.dim)
        check_node("sink", self.sink, self.dim)
        if sorted(self.order) != list(range(self.dim)):
            raise ValueError(f"order must hold each dimension from 0 to {self.dim - 1} once, not {self.order}")

    def stage_of(self, node: int) -> int:
        """Return the stage in which ``node`` is active; for the sink, which never is, the number of stages."""
        away = node ^ self.sink
        return next((i for i, d in enumerate(self.order) if away >> d & 1), self.dim)

    def role(self, node: int, stage: int) -> str:
        """Return what ``node`` is at ``stage``: active (sends), passive (receives) or idle.

        Source
        ------
        Leu and Kuo, section 2.2, equations 1 to 3.
        """
        last = self.stage_of(node)
        return ACTIVE if last == stage else PASSIVE if last > stage else IDLE

    def active(self, stage: int) -> tuple[int, ...]:
        """Return the nodes that are active at ``stage``, ascending.

        They agree with the sink in the dimensions of earlier stages and differ from it in that of this one.
        """
        free = self.order[stage + 1 :]
        base = self.sink ^ 1 << self.order[stage]
        nodes = [base]
        for d in free:
            nodes += [node ^ 1 << d for node in nodes]
        return tuple(sorted(nodes))

    def active_neighbours(self, node: int) -> tuple[int, ...]:
        """Return the neighbours of ``node`` that are active in the same stage, in the order of their dimensions.

        Source
        ------
        Leu and Kuo, section 2.2, equation 4.
        """
        return tuple(node ^ 1 << d for d in self.order[self.stage_of(node) + 1 :])

    def parent(self, node: int) -> int:
        """Return the passive neighbour, to which ``node`` sends when it is active.

        Raises
        ------
        ValueError
            ``node`` is the sink.
        """
        stage = self.stage_of(node)
        if stage == self.dim:
            raise ValueError(f"node must be another than the sink, not {node}")
        return node ^ 1 << self.order[stage]

    @property
    def links(self) -> frozenset[Link]:
        """The links of the tree, lower end first."""
        pairs = ((node, self.parent(node)) for node in range(1 << self.dim) if node != self.sink)
        return frozenset((min(a, b), max(a, b)) for a, b in pairs)

    def faulty_links(self, words: Sequence[int]) -> tuple[Link, ...]:
        """Return the links of the tree that are faulty, as (active, passive), by stage."""
        return tuple(
            (node, node ^ 1 << d)
            for stage, d in enumerate(self.order)
            for node in self.active(stage)
            if words[node] >> d & 1
        )


def find_tree(dim: int, words: Sequence[int]) -> SinkTree:
    """Return a tree with few faulty links, by algorithm FIND_TREE.

    The sink is the lowest node whose fault word is 0. The dimensions are chosen from the last stage to the first:
    each time the one that adds the nodes with the fewest faults in the dimensions not used yet, the lowest of equals.

    Parameters
    ----------
    dim : int
        1 to 20.
    words : sequence of int
        Fault word of every node, of :func:`~cubecast.golden.collective.algorithms.fault_words.detect`.

    Raises
    ------
    NoSinkError
        No word is 0. With fewer than 2^(dim-1) faulty links and no faulty node this cannot be.
    ValueError
        ``words`` are not fault words of the cube.

    Source
    ------
    Leu and Kuo, section 3.1, figure 10. Equation 7 is printed with a sum over the used dimensions; its text, and the
    costs of example 2, are those of the dimensions not used yet.
    """
    checked = check_words(dim, words)
    faults = np.array(checked, dtype=np.int64)
    sinks = np.flatnonzero(faults == 0)
    if not sinks.size:
        raise NoSinkError(
            f"faults must leave a sink, a node whose {dim} links and neighbours are all good, not a fault at every node"
        )
    sink = int(sinks[0])
    used = np.array([sink], dtype=np.int64)
    free = list(range(dim))
    chosen: list[int] = []
    costs: list[dict[int, int]] = []
    while len(free) > 1:
        mask = sum(1 << j for j in free)
        cost = {j: int(np.bitwise_count(faults[used ^ (1 << j)] & mask).sum()) for j in free}
        best = min(free, key=cost.__getitem__)
        costs.append(cost)
        chosen.append(best)
        free.remove(best)
        used = np.concatenate((used, used ^ (1 << best)))
    return SinkTree(dim, sink, (*free, *reversed(chosen)), tuple(costs))


def all_trees(dim: int) -> Iterator[SinkTree]:
    """Yield all n! 2^n trees: by ascending sink, orders of dimensions in lexicographic order.

    Raises
    ------
    ValueError
        ``dim`` is above :data:`EXHAUST_DIM`.

    Source
    ------
    Leu and Kuo, section 2.2, property 1. They differ by sink and order; a sink and its neighbour across the last
    dimension have the same links, so there are half as many sets of links.
    """
    check_dim(dim, EXHAUST_DIM)
    for sink in range(1 << dim):
        for order in itertools.permutations(range(dim)):
            yield SinkTree(dim, sink, order)


def exhaust(dim: int, words: Sequence[int]) -> Iterator[SinkTree]:
    """Yield all trees without a faulty link: algorithm EXHAUST as printed. There may be none.

    Source
    ------
    Leu and Kuo, section 2.2, figure 4.
    """
    checked = check_words(dim, words)
    return (tree for tree in all_trees(dim) if not tree.faulty_links(checked))


def best_tree(dim: int, words: Sequence[int]) -> SinkTree:
    """Return the first tree with the fewest faulty links.

    That is what the text around EXHAUST promises, and EXHAUST finds only if that number is 0. The sink may have a
    faulty link itself, which FIND_TREE does not allow.
    """
    checked = check_words(dim, words)
    return min(all_trees(dim), key=lambda tree: len(tree.faulty_links(checked)))
