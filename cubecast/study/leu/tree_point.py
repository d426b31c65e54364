"""Trees of the patterns of one point: whether FIND_TREE has a sink, and how good its tree is beside all others."""

from __future__ import annotations

from itertools import islice

import numpy as np

from cubecast.golden.collective.algorithms.fault_words import detect
from cubecast.golden.collective.algorithms.sink_tree import NoSinkError, find_tree
from cubecast.study.leu.fewest import fewest_troubled, troubled
from cubecast.study.leu.patterns import fault_patterns
from cubecast.study.model import Outcome

__all__ = ["tree_point"]

ENTRIES = 1 << 24
"""Largest table of :func:`fewest_troubled`; patterns are taken in portions."""


def tree_point(seed: int, dim: int, kind: str, faults: int, runs: int) -> Outcome:
    """Return counts over fault patterns.

    Returns
    -------
    dict
        ``patterns``; ``all``, whether these are all there are; ``sinks``, those in which FIND_TREE gives a tree;
        ``found``, those in which every fault-free node can send over its link of that tree; ``exist``, those in which
        there is such a tree; ``optimal``, those in which no tree has fewer nodes that cannot; ``excess``, sum of how
        many fewer they have.
    """
    exhaustive, patterns = fault_patterns(seed, dim, kind, faults, runs)
    counts = dict.fromkeys(("patterns", "sinks", "found", "exist", "optimal", "excess"), 0)
    portion = max(1, ENTRIES // (dim << 2 * dim))
    while some := list(islice(patterns, portion)):
        words = [detect(dim, links, nodes) for links, nodes in some]
        dead = np.zeros((len(some), 1 << dim), dtype=bool)
        for row, (_, nodes) in zip(dead, some, strict=True):
            row[nodes] = True
        fewest = fewest_troubled(dim, words, dead).tolist()
        counts["patterns"] += len(some)
        counts["exist"] += sum(least == 0 for least in fewest)
        for (_, nodes), word, least in zip(some, words, fewest, strict=True):
            try:
                count = troubled(find_tree(dim, word), word, set(nodes))
            except NoSinkError:
                continue
            counts["sinks"] += 1
            counts["found"] += count == 0
            counts["optimal"] += count == least
            counts["excess"] += count - least
    return {"all": exhaustive, **counts}
