"""The hypercube itself: its nodes, links and distances."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator

from cubecast.golden.common.algorithms.address import check_dim, check_node, distance, neighbour, useful_dimensions

__all__ = ["Cube"]


@dataclasses.dataclass(frozen=True)
class Cube:
    """A hypercube of 2**dim nodes; two whose addresses differ in one bit are neighbours.

    Parameters
    ----------
    dim : int
        Dimension n, 1 to 20.

    Raises
    ------
    ValueError
        The dimension, or an address given to a method, is out of range.

    Examples
    --------
    >>> cube = Cube(3)
    >>> list(cube.nodes), cube.neighbours(5), cube.distance(0, 7), cube.bits(5)
    ([0, 1, 2, 3, 4, 5, 6, 7], (4, 7, 1), 3, '101')
    """

    dim: int

    def __post_init__(self) -> None:
        """Check the dimension."""
        object.__setattr__(self, "dim", check_dim(self.dim))

    @property
    def nodes(self) -> range:
        """Addresses of all nodes."""
        return range(1 << self.dim)

    @property
    def links(self) -> Iterator[tuple[int, int]]:
        """All links in one direction, as (from, to)."""
        return ((node, neighbour(node, dimension)) for node in self.nodes for dimension in range(self.dim))

    def neighbours(self, node: int) -> tuple[int, ...]:
        """Return the neighbours of a node, that of dimension 0 first."""
        check_node("node", node, self.dim)
        return tuple(neighbour(node, dimension) for dimension in range(self.dim))

    def distance(self, a: int, b: int) -> int:
        """Return the number of links of a shortest path between two nodes."""
        return distance(check_node("a", a, self.dim), check_node("b", b, self.dim))

    def dimensions(self, a: int, b: int) -> tuple[int, ...]:
        """Return the dimensions that a shortest path between two nodes crosses, lowest first."""
        return useful_dimensions(check_node("a", a, self.dim) ^ check_node("b", b, self.dim))

    def bits(self, node: int) -> str:
        """Return the address of a node in binary, highest dimension first."""
        return f"{check_node('node', node, self.dim):0{self.dim}b}"
