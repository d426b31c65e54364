"""Subsets of one size: all there are, or random ones where there are too many."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import combinations
from math import comb

from cubecast.study.seeds import generator

__all__ = ["subsets"]


def subsets(
    seed: int, family: str, key: tuple[int, ...], size: int, count: int, runs: int
) -> tuple[bool, Iterator[list[int]]]:
    """Return whether these are all subsets, and the subsets, of the numbers below ``size``.

    Parameters
    ----------
    seed : int
        That of the command line.
    family : str
        Which kind of thing is drawn.
    key : tuple of int
        Which point it is drawn for.
    size, count : int
        How many numbers there are, and how many of them are in a subset.
    runs : int
        How many random subsets, all equally likely; if there are not more than this in all, each is taken once instead.
    """
    exhaustive = comb(size, count) <= runs
    if exhaustive:
        return True, map(list, combinations(range(size), count))
    randoms = (generator(seed, family, *key, run) for run in range(runs))
    return False, (random.choice(size, size=count, replace=False, shuffle=False).tolist() for random in randoms)
