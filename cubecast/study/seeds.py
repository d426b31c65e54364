"""Random numbers that belong to a point and a run, whoever computes them."""

from __future__ import annotations

import numpy as np

__all__ = ["generator"]


def generator(seed: int, family: str, *key: int) -> np.random.Generator:
    """Return the generator of one run.

    Parameters
    ----------
    seed : int
        That of the command line.
    family : str
        Which kind of random thing is drawn, so that different kinds have nothing in common.
    key : int
        Point and run.
    """
    return np.random.default_rng(np.random.SeedSequence(seed, spawn_key=(*family.encode(), *key)))
