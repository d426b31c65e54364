"""Load: which node sends to which, in the patterns by which networks are compared, and what else a load is made of."""

from __future__ import annotations

import dataclasses
import functools
import random
import re
from typing import Any, NamedTuple

from cubecast.golden.common.algorithms.address import check_dim, check_node
from cubecast.golden.common.algorithms.faults import faults_of
from cubecast.golden.common.contract.parameters import integer, store_plain

__all__ = ["MOST_WORDS", "PATTERNS", "TRACE", "Lists", "Traced", "Traffic", "read_trace", "target"]

PATTERNS = (
    *("uniform", "complement", "transpose", "reverse", "shuffle", "tornado", "neighbour", "permutation"),
    "hotspot",
)
"""Where a node sends: to any other; to all bits inverted; to the halves of its address exchanged; to its bits in
reverse; to its bits rotated left by one; 2**(n - 1) - 1 addresses on; one address on; to the node that it has in a
permutation drawn at random; or often to one node."""

MOST_WORDS = 255
"""Words of a message."""

TRACE = "trace"
"""The pattern of messages that are read from a file."""

MOST_TRACED = 1_000_000
"""Messages of a trace, and the last cycle in which one may arrive."""


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

    def __post_init__(self) -> None:
        """Make it plain; :class:`Traffic` checks it, which knows the cube."""
        store_plain(self)


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
        Words of a message, 1 to 255; the fewest where there are several.
    spread : int
        How many numbers of words there are, from ``length`` on, all as often.
    other, other_share : int, float
        Words of this share of the messages, in place of the others' words.
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
    faults, faulty_links : tuple of int, tuple of (int, int)
        Nodes and links that do not work, the latter by their two ends.
    trace, digest : str
        With the pattern ``trace``: file of the messages, and the digest of its text.

    Raises
    ------
    ValueError
        A value is out of range, or the pattern has no meaning in such a cube.
    """

    dim: int
    pattern: str = "uniform"
    length: int = 1
    spread: int = 1
    other: int = 1
    other_share: float = 0.0
    hotspot: int = 0
    share: float = 0.0
    permutation: int = 0
    lists: Lists = Lists(share=0.0, members=1)
    broadcast: float = 0.0
    policy: str = ""
    faults: tuple[int, ...] = ()
    faulty_links: tuple[tuple[int, int], ...] = ()
    trace: str = ""
    digest: str = ""

    def __post_init__(self) -> None:
        """Check everything."""
        store_plain(self)
        check_dim(self.dim)
        if self.pattern not in (*PATTERNS, TRACE):
            raise ValueError(f"traffic must be one of {', '.join((*PATTERNS, TRACE))}, not {self.pattern!r}")
        integer("length", self.length, 1, MOST_WORDS)
        integer("spread", self.spread, 1, MOST_WORDS)
        integer("greatest length", self.length + self.spread - 1, self.length, MOST_WORDS)
        integer("other length", self.other, 1, MOST_WORDS)
        check_node("hotspot", self.hotspot, self.dim)
        if not isinstance(self.lists, Lists):
            raise ValueError(f"lists must be Lists, not {self.lists!r}")
        integer("nodes of a list", self.lists.members, 1, (1 << self.dim) - 1)
        for name, share in (
            ("share of the hot spot", self.share),
            ("share of other lengths", self.other_share),
            ("share of lists", self.lists.share),
            ("share of broadcasts", self.broadcast),
        ):
            _check_share(name, share)
        _check_share("share of lists and broadcasts", self.lists.share + self.broadcast)
        integer("seed of the permutation", self.permutation, 0, (1 << 64) - 1)
        target(self.pattern, self.dim, 0)
        faults_of(self.dim, self.faults, self.faulty_links)

    @property
    def mean_length(self) -> float:
        """Words of a message on average."""
        return self.other_share * self.other + (1 - self.other_share) * (self.length + (self.spread - 1) / 2)

    @property
    def lengths(self) -> dict[int, float]:
        """How often messages have which number of words."""
        usual = (1 - self.other_share) / self.spread
        found = dict.fromkeys(range(self.length, self.length + self.spread), usual)
        return found | {self.other: found.get(self.other, 0.0) + self.other_share}

    def may_have(self, words: Any) -> Any:
        """Return whether messages may have these numbers of words, an array."""
        usual = (words >= self.length) & (words < self.length + self.spread) & (self.other_share < 1)
        return usual | ((words == self.other) & (self.other_share > 0))


def _check_share(name: str, share: Any) -> None:
    """Raise ``ValueError`` unless this is a number from 0 to 1."""
    if type(share) not in (int, float) or not 0 <= share <= 1:
        raise ValueError(f"{name} must be a number from 0 to 1, not {share!r}")


class Traced(NamedTuple):
    """A message of a trace.

    Parameters
    ----------
    cycle : int
        Cycle in which it arrives; two of a node do not arrive in one.
    source : int
        Its node.
    destination : int or None
        The node that it is for; None: all others.
    words : int
        Its words.
    """

    cycle: int
    source: int
    destination: int | None
    words: int


def read_trace(text: str, dim: int) -> list[Traced]:
    """Return the messages of a trace, in the order of their cycles.

    A line is ``cycle source destination words``, with ``all`` for a broadcast; empty lines and what follows a ``#`` are
    left out. Of several messages of a node in one cycle, the later ones arrive in the next free cycles.

    Raises
    ------
    ValueError
        A line is something else, or there are too many or none.
    """
    found, nodes = [], (1 << dim) - 1
    for number, line in enumerate(text.splitlines(), 1):
        fields = line.partition("#")[0].split()
        if not fields:
            continue
        everyone = len(fields) == 4 and fields[2] == "all"
        plain = [*fields[:2], *([] if everyone else fields[2:3]), *fields[3:]]
        if len(fields) != 4 or not all(re.fullmatch("[0-9]{1,9}", field, re.ASCII) for field in plain):
            raise ValueError(f"line {number} of the trace must be CYCLE SOURCE DESTINATION WORDS, not {line[:60]!r}")
        cycle, source, *there = (int(field) for field in plain[:-1])
        words, destination = int(plain[-1]), there[0] if there else None
        named = f"of line {number} of the trace"
        integer(f"cycle {named}", cycle, 0, MOST_TRACED)
        integer(f"source {named}", source, 0, nodes)
        if destination is not None:
            integer(f"destination {named}", destination, 0, nodes)
        if destination == source:
            raise ValueError(f"destination {named} must be another node than the source, not {source}")
        integer(f"words {named}", words, 1, MOST_WORDS)
        found.append(Traced(cycle, source, destination, words))
    integer("messages of the trace", len(found), 1, MOST_TRACED)
    free = [0] * (nodes + 1)
    for place, message in enumerate(found := sorted(found, key=lambda message: message.cycle)):
        cycle = max(message.cycle, free[message.source])
        free[message.source] = cycle + 1
        found[place] = message._replace(cycle=cycle)
    return sorted(found, key=lambda message: message.cycle)


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
