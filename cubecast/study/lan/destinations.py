"""Random destination lists, uniform or with a probability that decreases with the distance."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from cubecast.study.seeds import generator

__all__ = ["IntArray", "destination_lists"]

IntArray = npt.NDArray[np.int64]


def destination_lists(seed: int, dim: int, ratio: float, count: int, runs: int) -> tuple[IntArray, IntArray]:
    """Return random sources and destination lists.

    The destinations of a list are drawn one after the other from the nodes not drawn yet, a node at distance i
    from the source with a probability proportional to ``ratio**(i - 1)``. A run has a generator of its own, so it
    draws the same whatever ``runs`` is, and the same random numbers whatever ``ratio`` is.

    Parameters
    ----------
    seed : int
        That of the command line.
    dim : int
        Dimension of the cube.
    ratio : float
        1 for the uniform distribution, below 1 for decreasing probability.
    count : int
        Destinations in a list, 1 to 2**dim - 1.
    runs : int
        How many lists.

    Returns
    -------
    tuple
        Sources, one per run; and lists, a row per run: addresses relative to the source, in the order drawn.

    Source
    ------
    Lan 1988, sections 5.4.2 and 5.4.3, where ``ratio`` is called k.
    """
    nodes = 1 << dim
    sources = np.empty(runs, dtype=np.int64)
    times = np.empty((runs, nodes - 1))
    for run in range(runs):
        random = generator(seed, "lan-destinations", dim, count, run)
        sources[run] = random.integers(nodes)
        times[run] = random.standard_exponential(nodes - 1)
    # Of exponential waiting times, the first k are a draw of k without replacement, weighted by the rates.
    times /= ratio ** (np.bitwise_count(np.arange(1, nodes)) - 1.0)
    return sources, np.argsort(times, axis=1)[:, :count] + 1
