"""The least number of packets that a list of destinations can be split into, by trying all ways."""

from __future__ import annotations

import functools
import itertools

__all__ = ["least", "subcubes"]


def subcubes(dim: int) -> set[frozenset[int]]:
    """Return the sets that a subcube packet can reach, relative to its source."""
    found = set()
    for fixed, free in itertools.product(range(1 << dim), repeat=2):
        nodes = frozenset(x for x in range(1, 1 << dim) if not (x ^ fixed) & ~free)
        found.add(nodes)
    return found - {frozenset()}


@functools.cache
def least(dim: int, bitmap_dims: int) -> list[int]:
    """Return the least number of packets for every set, by the bits of an integer, by trying all of them."""
    several = (nodes for nodes in subcubes(dim) if len({x >> bitmap_dims for x in nodes}) > 1)
    wide = sorted({sum(1 << x for x in nodes) for nodes in several})
    size, width = 1 << (1 << dim), 1 << bitmap_dims
    blocks = [((1 << width) - 1) << first for first in range(0, 1 << dim, width)]
    found = [0] * size
    for some in range(0, size, 2):
        alone = sum(1 for block in blocks if some & block)
        found[some] = min([alone, *(1 + found[some & ~nodes] for nodes in wide if nodes & some == nodes)])
    return found
