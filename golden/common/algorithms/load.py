"""Load: which node sends to which, in the patterns by which networks are compared, and what else a load is made of."""

from __future__ import annotations

import dataclasses
import functools
import random

from cubecast.golden.common.algorithms.address import check_node
from cubecast.golden.common.contract.parameters import integer

__all__ = ["PATTERNS", "Lists", "Traffic", "target"]

PATTERNS = (
    *("uniform", "complement", "transpose", "reverse", "shuffle", "tornado", "neighbour", "permutation"),
    "hotspot",
)
"""Where a node sends: to any other; to all bits inverted; to the halves of its address exchanged; to its bits in
reverse; to its bits rotated left by one; 2**(n - 1) - 1 addresses on; one address on; to the node that it has in a
permutation drawn at random; or often to one node."""


@dataclasses.dataclass(frozen=True, kw_only=True)
class Lists:
    """Messages to a list of nodes.

    Parameters
    ----------
    share : float
        Of all messages, 0 to 1.
    members : int
        Nodes of each, drawn evenly from all others.
    """

    share: float
    members: int


@dataclasses.dataclass(frozen=True, kw_only=True)
class Traffic:
    """What is sent.

    Parameters
    ----------
    dim : int
        Dimension of the cube.
    pattern : str
        One of :data:`PATTERNS`; where unicasts go.
    length : int
        Words of a message, 1 to 255.
    hotspot : int
        With that pattern: the node.
    share : float
        With that pattern: the share of unicasts that go to it; the others go to any other node.
    permutation : int
        With that pattern: the seed by which it is drawn.
    lists : Lists
        Messages to lists.
    broadcast : float
        Share of messages to all other nodes.
    policy : str
        How the source chooses the way, in the words of the router's system.

    Raises
    ------
    ValueError
        A value is out of range, or the pattern has no meaning in such a cube.
    """

    dim: int
    pattern: str = "uniform"
    length: int = 1
    hotspot: int = 0
    share: float = 0.0
    permutation: int = 0
    lists: Lists = Lists(share=0.0, members=1)
    broadcast: float = 0.0
    policy: str = ""

    def __post_init__(self) -> None:
        """Check everything."""
        if self.pattern not in PATTERNS:
            raise ValueError(f"traffic must be one of {', '.join(PATTERNS)}, not {self.pattern!r}")
        integer("length", self.length, 1, 255)
        check_node("hotspot", self.hotspot, self.dim)
        integer("nodes of a list", self.lists.members, 1, (1 << self.dim) - 1)
        for name, share in (
            ("share of the hot spot", self.share),
            ("share of lists", self.lists.share),
            ("share of broadcasts", self.broadcast),
            ("share of lists and broadcasts", self.lists.share + self.broadcast),
        ):
            if not 0 <= share <= 1:
                raise ValueError(f"{name} must be a number from 0 to 1, not {share}")
        integer("seed of the permutation", self.permutation, 0, (1 << 64) - 1)
        target(self.pattern, self.dim, 0)


@functools.cache
def permutation(dim: int, seed: int) -> tuple[int, ...]:
    """Return a permutation of all nodes, in which no node has itself, drawn evenly from all such ones."""
    chance, nodes = random.Random(seed), list(range(1 << dim))
    while True:
        chance.shuffle(nodes)
        if all(there != node for node, there in enumerate(nodes)):
            return tuple(nodes)


def target(pattern: str, dim: int, node: int, seed: int = 0) -> int | None:
    """Return the one node that a node sends to in a pattern, None if there is more than one; it may be the node itself.

    ``seed`` is that of a permutation.

    Raises
    ------
    ValueError
        The pattern has no meaning in such a cube.
    """
    last = (1 << dim) - 1
    if pattern == "complement":
        return node ^ last
    if pattern == "transpose":
        if dim % 2:
            raise ValueError(f"dim must be even with traffic transpose, not {dim}")
        half = dim // 2
        return node >> half | node << half & last
    if pattern == "reverse":
        return int(f"{node:0{dim}b}"[::-1], 2)
    if pattern == "shuffle":
        return node << 1 & last | node >> dim - 1
    if pattern == "tornado":
        return node + (1 << dim - 1) - 1 & last
    if pattern == "neighbour":
        return node + 1 & last
    if pattern == "permutation":
        return permutation(dim, seed)[node]
    return None
