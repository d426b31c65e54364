"""Greedy multicast against the optimum for one and two destinations: all lists there are."""

from __future__ import annotations

from itertools import combinations

import numpy as np

from cubecast.study.lan.optimum import optimal_traffic
from cubecast.study.lan.traffic import greedy_traffic
from cubecast.study.model import Claim, Outcome
from cubecast.study.verdict import never

__all__ = ["few_point", "optimal_for_few"]


def few_point(seed: int, dim: int) -> Outcome:
    """Return how many lists of one and two destinations there are, and for how many greedy is above the optimum.

    Parameters
    ----------
    seed : int
        Not used: there is nothing random.
    dim : int
        Dimension of the cube.
    """
    del seed
    worse = lists = 0
    for count in (1, 2):
        every = np.array(list(combinations(range(1, 1 << dim), count)))
        worse += int((greedy_traffic(dim, every) > optimal_traffic(dim, every)).sum())
        lists += len(every)
    return {"lists": lists, "worse": worse}


def optimal_for_few(outcome: Outcome, text: str, source: str) -> Claim:
    """Hold "the same as the optimum when k < 3" against all lists."""
    claim = f"{text} [share of all {outcome['lists']} lists for which it makes more traffic]"
    return never(claim, source, outcome["worse"], outcome["lists"], sampled=False)
