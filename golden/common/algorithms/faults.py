"""Faulty nodes and links: fault vectors, the one-faulty-neighbour rule, enumeration, bounds and random fault sets."""

from __future__ import annotations

import dataclasses
import random as random_module
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING

from cubecast.golden.common.algorithms.address import check_dim, check_integer, check_items, check_node, neighbour

if TYPE_CHECKING:
    # Loading it takes longer than a short simulation, and only callers that already have a generator need it.
    import numpy as np

__all__ = [
    "HAMMING_BOUNDS",
    "Faults",
    "Link",
    "check_faults",
    "check_links",
    "fault_sets",
    "fault_vector",
    "fault_vectors",
    "faults_of",
    "hamming_bound",
    "obeys_rule",
    "random_faults",
    "random_obeying_faults",
    "violations",
]

HAMMING_BOUNDS = {3: 2, 4: 3, 5: 5, 6: 9, 7: 16, 8: 28, 9: 51, 10: 93}
"""Bound on the number of pairwise non-adjacent faulty nodes under the rule, by dimension (Lan 1988, equation 7.2)."""

_ENUMERATION_DIM = 4

Link = tuple[int, int]
"""A link by its two ends, the lower address first."""


def check_faults(faults: Iterable[object], dim: int) -> frozenset[int]:
    """Return ``faults`` as a frozenset of addresses of the ``dim``-cube, else raise ``ValueError``."""
    return frozenset(check_node("fault", node, dim) for node in check_items("faults", faults))


def check_links(links: Iterable[Iterable[object]], dim: int) -> frozenset[Link]:
    """Return links, each given by its two ends in either order, as a frozenset with the lower end first.

    Raises
    ------
    ValueError
        A link has not two ends, or they are not neighbours in the ``dim``-cube.
    """
    checked = set()
    for link in check_items("links", links, "pairs of addresses"):
        ends = check_items("link", link, "two addresses")
        if len(ends) != 2:
            raise ValueError(f"link must have two ends, not {len(ends)}")
        a, b = (check_node("end of a link", end, dim) for end in ends)
        if (a ^ b).bit_count() != 1:
            raise ValueError(f"link must join neighbours, not {a} and {b}")
        checked.add((min(a, b), max(a, b)))
    return frozenset(checked)


@dataclasses.dataclass(frozen=True)
class Faults:
    """What is faulty in a cube.

    Parameters
    ----------
    nodes : frozenset of int
        Nodes.
    links : frozenset of (int, int)
        Links: the end whose address bit is 0 there, and the dimension.
    """

    nodes: frozenset[int] = frozenset()
    links: frozenset[tuple[int, int]] = frozenset()

    def passes(self, node: int, dimension: int) -> bool:
        """Return whether a message can cross the link out of a node: both the link and the node behind it work."""
        mask = 1 << dimension
        return node ^ mask not in self.nodes and (node & ~mask, dimension) not in self.links

    def vector(self, node: int, dim: int) -> int:
        """Return the fault vector of a node: the links that a message cannot cross, of a faulty node all."""
        dead = node in self.nodes
        return sum(1 << k for k in range(dim) if dead or not self.passes(node, k))


def faults_of(dim: int, nodes: Iterable[int] = (), links: Iterable[tuple[int, int]] = ()) -> Faults:
    """Return faults of a cube; links are given by their two ends.

    Raises
    ------
    ValueError
        An address is out of range, or two ends of a link are no neighbours.
    """
    dim = check_dim(dim)
    dead = frozenset((low, (low ^ high).bit_length() - 1) for low, high in check_links(links, dim))
    return Faults(check_faults(nodes, dim), dead)


def fault_vector(dim: int, node: int, faults: frozenset[int]) -> int:
    """Return the fault vector of ``node``: bit j is 1 when its neighbour in dimension j is faulty.

    Source
    ------
    Lan 1988, section 7.2, condition 3.
    """
    return sum(1 << j for j in range(dim) if neighbour(node, j) in faults) if faults else 0


def fault_vectors(dim: int, faults: Iterable[int]) -> dict[int, int]:
    """Return the fault vector of every fault-free node, by ascending address."""
    dim = check_dim(dim)
    faulty = check_faults(faults, dim)
    return {node: fault_vector(dim, node, faulty) for node in range(1 << dim) if node not in faulty}


def violations(dim: int, faults: Iterable[int]) -> tuple[int, ...]:
    """Return the fault-free nodes that have more than one faulty neighbour, ascending."""
    dim = check_dim(dim)
    faulty = check_faults(faults, dim)
    near: dict[int, int] = {}
    for fault in faulty:
        for j in range(dim):
            node = neighbour(fault, j)
            near[node] = near.get(node, 0) + 1
    return tuple(sorted(node for node, count in near.items() if count > 1 and node not in faulty))


def obeys_rule(dim: int, faults: Iterable[int]) -> bool:
    """Return whether every fault-free node has at most one faulty neighbour.

    Source
    ------
    Lan 1988, section 7.2, condition 4.
    """
    return not violations(dim, faults)


def fault_sets(dim: int) -> Iterator[frozenset[int]]:
    """Yield every fault set that obeys the rule and leaves a node fault-free, the empty one first.

    Parameters
    ----------
    dim : int
        1 to 4: all subsets of the nodes are tried.

    Raises
    ------
    ValueError
        ``dim`` is out of range.
    """
    dim = check_dim(dim, _ENUMERATION_DIM)
    nodes = 1 << dim
    # low[j] has a 1 for each node whose bit j is 0: a set of nodes moves across dimension j with two shifts
    low = [sum(1 << node for node in range(nodes) if not node >> j & 1) for j in range(dim)]
    for members in range((1 << nodes) - 1):
        once = twice = 0
        for j in range(dim):
            moved = (members & low[j]) << (1 << j) | (members >> (1 << j)) & low[j]
            twice |= once & moved
            once |= moved
        if not twice & ~members:
            yield frozenset(node for node in range(nodes) if members >> node & 1)


def hamming_bound(dim: int, separation: int = 3) -> int:
    """Return the Hamming bound on a set of ``dim``-bit addresses whose pairwise distance is at least ``separation``.

    An upper bound only: the largest such sets for dimension 3 and 4 have 2 members each.

    Source
    ------
    Lan 1988, section 7.2, equations 7.1 and 7.2. t is the ceiling of d/2 - 1 (misprint L20).
    """
    dim = check_dim(dim)
    separation = check_integer("separation", separation, 1, dim)
    radius = (separation - 1) // 2
    volume = term = 1
    for i in range(1, radius + 1):
        term = term * (dim - i + 1) // i
        volume += term
    return (1 << dim) // volume


def random_faults(dim: int, count: int, random: random_module.Random | np.random.Generator) -> frozenset[int]:
    """Return ``count`` different faulty nodes, every set equally likely.

    Parameters
    ----------
    dim : int
        Dimension of the cube.
    count : int
        0 to 2**dim - 1.
    random : random.Random or numpy.random.Generator
        The only source of randomness.
    """
    dim = check_dim(dim)
    count = check_integer("count", count, 0, (1 << dim) - 1)
    if isinstance(random, random_module.Random):
        return frozenset(random.sample(range(1 << dim), count))
    return frozenset(int(node) for node in random.choice(1 << dim, size=count, replace=False))


def random_obeying_faults(
    dim: int, count: int, random: random_module.Random | np.random.Generator, tries: int = 10_000
) -> frozenset[int]:
    """Return ``count`` faulty nodes that obey the rule, every such set equally likely.

    Sets are drawn with :func:`random_faults` until one obeys.

    Raises
    ------
    ValueError
        None of ``tries`` drawn sets obeyed: ``count`` is too large for this dimension.
    """
    for _ in range(check_integer("tries", tries, 1, 1 << 30)):
        faults = random_faults(dim, count, random)
        if obeys_rule(dim, faults):
            return faults
    raise ValueError(f"count must allow a fault set that obeys the rule, not {count} (none in {tries} tries)")
