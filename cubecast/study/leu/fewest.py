"""The fewest nodes in trouble that any tree has, of all n! 2^n trees, without trying them one by one."""

from __future__ import annotations

from collections.abc import Collection, Sequence

import numpy as np
import numpy.typing as npt

from cubecast.golden.collective.algorithms.sink_tree import SinkTree

__all__ = ["fewest_troubled", "troubled"]

CountArray = npt.NDArray[np.uint16]


def troubled(tree: SinkTree, words: Sequence[int], dead: Collection[int]) -> int:
    """Return how many fault-free nodes cannot send over their link of a tree: its faulty links, if no node is dead."""
    return sum(node not in dead for node, _ in tree.faulty_links(words))


def fewest_troubled(dim: int, words: npt.ArrayLike, dead: npt.ArrayLike) -> CountArray:
    """Return the smallest number of fault-free nodes that cannot send over their link, of all trees of each pattern.

    What a stage adds depends on the subcube that the later stages use and on its dimension, not on the order of those
    stages. So the best order for each sink and each set of last dimensions follows from those of the sets with one
    dimension less: 4^n steps of n comparisons in place of n! 2^n trees of 2^n - 1 links.

    Parameters
    ----------
    dim : int
        Dimension of the cube.
    words : array
        A row per pattern: the fault word of every node.
    dead : array
        A row per pattern: whether a node is faulty; not all are.

    Source
    ------
    The number that Leu and Kuo, section 2.2, call that of an optimal tree; the recursion is not theirs.
    """
    table, out = np.asarray(words, dtype=np.int32), np.asarray(dead, dtype=bool)
    nodes = np.arange(1 << dim)
    # By set of dimensions, then dimension of the stage, pattern, sink: troubles of the stage.
    stage = np.empty((1 << dim, dim, *table.shape), dtype=np.uint16)
    for j in range(dim):
        stage[0, j] = ((table >> j & 1) * ~out)[:, nodes ^ 1 << j]
    best = np.empty((1 << dim, *table.shape), dtype=np.uint16)
    best[0] = 0
    for used in range(1, 1 << dim):
        added = (used & -used).bit_length() - 1
        before = stage[used ^ 1 << added]
        other = before.reshape(dim, len(table), -1, 2, 1 << added)[:, :, :, ::-1].reshape(before.shape)
        np.add(before, other, out=stage[used])
        parts = [used ^ 1 << j for j in range(dim) if used >> j & 1]
        np.minimum.reduce([best[part] + stage[part, (used ^ part).bit_length() - 1] for part in parts], out=best[used])
    # A faulty sink need not be left out: a fault-free one in the smallest subcube around it that has one is better.
    fewest: CountArray = best[-1].min(axis=1)
    return fewest
