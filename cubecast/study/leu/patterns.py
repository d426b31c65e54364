"""Fault patterns: all there are of so many faulty links or nodes, or random ones where there are too many."""

from __future__ import annotations

from collections.abc import Iterator

from cubecast.golden.common.algorithms.faults import Link
from cubecast.study.subsets import subsets

__all__ = ["KINDS", "Pattern", "all_links", "fault_patterns", "places"]

KINDS = ("links", "nodes")

Pattern = tuple[list[Link], list[int]]
"""Faulty links and faulty nodes."""


def all_links(dim: int) -> list[Link]:
    """Return the links of a cube, lower end first."""
    return [(node, node | 1 << j) for node in range(1 << dim) for j in range(dim) if not node >> j & 1]


def places(dim: int, kind: str) -> int:
    """Return how many links or nodes there are."""
    return dim << dim - 1 if kind == "links" else 1 << dim


def fault_patterns(seed: int, dim: int, kind: str, faults: int, runs: int) -> tuple[bool, Iterator[Pattern]]:
    """Return whether these are all patterns, and the patterns.

    Parameters
    ----------
    seed : int
        That of the command line.
    dim : int
        Dimension of the cube.
    kind : str
        One of :data:`KINDS`.
    faults : int
        How many of them are faulty.
    runs : int
        How many random patterns, all equally likely; if there are not more than this in all, they are taken instead.
    """
    exhaustive, chosen = subsets(seed, f"leu-{kind}", (dim, faults), places(dim, kind), faults, runs)
    if kind == "nodes":
        return exhaustive, (([], nodes) for nodes in chosen)
    links = all_links(dim)
    return exhaustive, (([links[at] for at in numbers], []) for numbers in chosen)
