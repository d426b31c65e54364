"""Faults and repairs at random cycles, as the FAULT writes of the nodes concerned."""

from __future__ import annotations

from random import Random

__all__ = ["FaultEvents"]

LASTING = (1, 2, 5, 20, 60, 200)
"""Cycles that a fault lasts on average, one of these for each."""

SKEW = 4
"""Cycles by which the two ends of a link are told at different times, at most."""


class FaultEvents:
    """Links and nodes that fail and are repaired while traffic runs.

    A link fails at one end or at both, in the same cycle or a few apart; a node fails with all its links, at the
    ends of its neighbours. A fault ends after a while, sometimes in the next cycle.

    Parameters
    ----------
    random : Random
        The run's only source of randomness.
    dim : int
        Dimension n of the network.
    """

    def __init__(self, random: Random, dim: int) -> None:
        self.random, self.dim = random, dim
        self.rate = random.choice((0.003, 0.01, 0.05))
        self.cycle = 0
        self.marks = [[0] * dim for _ in range(1 << dim)]
        self.planned: dict[int, list[tuple[int, int, int]]] = {}

    def next(self) -> dict[int, int]:
        """Return the fault vectors written in the coming cycle, by node."""
        if self.random.random() < self.rate:
            self._fail()
        self.cycle += 1
        changed = set()
        for node, dimension, step in self.planned.pop(self.cycle, ()):
            self.marks[node][dimension] += step
            changed.add(node)
        return {node: self._vector(node) for node in changed}

    def _vector(self, node: int) -> int:
        """Return the fault vector of a node: faults of one link may overlap, the last repair counts."""
        return sum((count > 0) << dimension for dimension, count in enumerate(self.marks[node]))

    def _fail(self) -> None:
        """Plan a fault and its repair."""
        random, dims = self.random, range(self.dim)
        node = random.randrange(1 << self.dim)
        if random.random() < 0.3:
            ends = [(node ^ 1 << dimension, dimension) for dimension in dims]
        else:
            dimension = random.choice(dims)
            ends = random.sample([(node, dimension), (node ^ 1 << dimension, dimension)], random.choice((1, 2)))
        begin, lasting = self.cycle + 1, 1 + int(random.expovariate(1 / random.choice(LASTING)))
        skew = random.choice((0, SKEW))
        for end, dimension in ends:
            first = begin + random.randint(0, skew)
            self.planned.setdefault(first, []).append((end, dimension, 1))
            self.planned.setdefault(first + lasting + random.randint(0, skew), []).append((end, dimension, -1))
