"""Group-multicast rings: the ring configuration method of Lin and Chen, and the Gray-code ring for comparison."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from typing import Any

from cubecast.golden.collective.algorithms.address_order import mirror
from cubecast.golden.collective.algorithms.link_proof import LinkProof, prove
from cubecast.golden.collective.algorithms.ring_path import ORDERS, check_order, ring_path
from cubecast.golden.common.algorithms.address import check_dim, check_items, check_node

__all__ = [
    "GRAY",
    "GroupRing",
    "Merge",
    "buddy_subcubes",
    "configure",
    "gray_code",
    "gray_rank",
    "gray_ring",
    "group_ring",
    "ring_in_sequence",
    "rings_after",
]

GRAY = "gray"
"""Order of a ring whose paths follow the Gray code of the whole cube, and no single order of dimensions."""


@dataclass(frozen=True, slots=True)
class Merge:
    """One step of the configuration: what two buddy subcubes hold becomes one ring.

    Path(A, B) and Path(C, D) become Path(A, D) and Path(C, B). A node that is alone in its subcube has no path yet; it
    counts as a path to itself, so that a pair becomes Path(A, C) and Path(C, A), and a node C beside a ring turns
    Path(A, B) into Path(A, C) and Path(C, B).

    Parameters
    ----------
    dimension : int
        The dimension in which the two subcubes differ.
    lower, upper : tuple of int
        (A, B) of the subcube with a 0 in this dimension, (C, D) of that with a 1.

    Source: Lin and Chen, section 4.
    """

    dimension: int
    lower: tuple[int, int]
    upper: tuple[int, int]


@dataclass(frozen=True)
class GroupRing:
    """A ring of a group's members, with the path from each to the next.

    Parameters
    ----------
    dim : int
        Dimension of the cube.
    order : str
        Order of dimensions in which all paths are routed, or :data:`GRAY`.
    ring : tuple of int
        The members in the order in which a message visits them, from the smallest on.
    paths : tuple of tuple of int
        For each member the nodes from it to the next one, both included; of a ring of one member that member alone.
    merges : tuple of Merge
        The steps that made the ring, by ascending dimension; none if another method made it. For ascending order, in
        the mirrored cube: dimensions counted from the highest, addresses with their bits reversed.
    """

    dim: int
    order: str
    ring: tuple[int, ...]
    paths: tuple[tuple[int, ...], ...]
    merges: tuple[Merge, ...] = ()

    @cached_property
    def proof(self) -> LinkProof:
        """Who uses which link, and whether any link has two users."""
        return prove(self.dim, self.order, self.paths)

    @property
    def link_use(self) -> dict[tuple[int, int], int]:
        """Number of paths across every link that is used, (from, to)."""
        return {link: len(users) for link, users in self.proof.users.items()}

    @property
    def links_used(self) -> int:
        """Number of different links, each direction of a connection counted as one."""
        return len(self.proof.users)

    @property
    def hops(self) -> int:
        """Number of crossings of a link in one round; equal to :attr:`links_used` if the paths are disjoint."""
        return sum(map(_hops, self.paths))

    @property
    def max_hops(self) -> int:
        """Links of the longest path."""
        return max(map(_hops, self.paths))

    @property
    def disjoint(self) -> bool:
        """Whether no link is used by two paths."""
        return self.proof.disjoint

    @cached_property
    def next_member(self) -> dict[int, int]:
        """The ring table: for each member the next one."""
        return dict(zip(self.ring, (*self.ring[1:], self.ring[0]), strict=True))

    def check(self) -> None:
        """Check that this is what a group-multicast ring has to be.

        Every member stands in the ring once, each path leads to the next member in the single order of dimensions and
        takes at most n links, and no two paths share a link, by the links and by theorem 1.

        Raises
        ------
        ValueError
            It is not so; one line with the reason.
        """
        if len(set(self.ring)) != len(self.ring):
            raise ValueError(
                f"ring must hold each member once, not {len(self.ring) - len(set(self.ring))} of them again"
            )
        if len(self.paths) != len(self.ring):
            raise ValueError(f"paths must be one per member, {len(self.ring)}, not {len(self.paths)}")
        check_order(self.order)
        for (member, following), path in zip(self.next_member.items(), self.paths, strict=True):
            if path != ring_path(member, following, self.order):
                raise ValueError(f"path must lead from {member} to {following} in {self.order} order, not {path}")
        if self.max_hops > self.dim:
            raise ValueError(f"path must have at most {self.dim} links, not {self.max_hops}")
        self.proof.check()
        if not self.disjoint:
            (start, end), users = min(self.proof.contended.items())
            raise ValueError(f"link must have one user, not {len(users)} on {start} to {end}")

    def to_json(self) -> dict[str, Any]:
        """Return the ring as plain lists and dictionaries, ready for :func:`json.dumps`."""
        return {
            "ring": list(self.ring),
            "paths": [list(path) for path in self.paths],
            "links_used": self.links_used,
            "max_hops": self.max_hops,
            "disjoint": self.disjoint,
        }


def group_ring(dim: int, nodes: Iterable[int], order: str = "descending") -> GroupRing:
    """Return a ring through the given nodes whose paths share no link.

    Parameters
    ----------
    dim : int
        Dimension of the cube, 1 to 20.
    nodes : iterable of int
        The members, at least one, each once, in any order: the ring does not depend on it.
    order : str
        Order of dimensions in which all paths are routed, one of :data:`ORDERS`. For ``"ascending"`` the method is
        applied to the mirrored addresses.

    Raises
    ------
    ValueError
        ``dim`` is not from 1 to 20, there is no such order, or the nodes are none, not of the cube, or one of them
        is named twice.

    Source: Lin and Chen, section 4.
    """
    dim, members = _members(dim, nodes)
    if check_order(order) == "ascending":
        following, merges = configure(dim, [mirror(node, dim) for node in members])
        following = {mirror(node, dim): mirror(after, dim) for node, after in following.items()}
    else:
        following, merges = configure(dim, members)
    ring = _walk(following, members[0])
    return _ring_of(dim, order, ring, merges)


def configure(dim: int, members: Sequence[int]) -> tuple[dict[int, int], list[Merge]]:
    """Return the successor of every member in the ring for descending order, and the steps that made it.

    In step k = 1 to n the two halves of every k-subcube that share all address bits above are joined. Of all pairs of
    a path of one half and a path of the other, those are joined whose first nodes have the longest common suffix; of
    equally long ones that with the smallest first node in the lower half, then in the upper. In each step the time is
    proportional to the number of members.

    Parameters
    ----------
    dim : int
        Dimension of the cube.
    members : sequence of int
        Addresses, each once; not checked.

    Source: Lin and Chen, section 4.
    """
    following = {node: node for node in members}
    merges = []
    subcubes: dict[int, list[int]] = {node: [node] for node in sorted(members)}
    for dimension in range(dim):
        joined: dict[int, list[int]] = {}
        for prefix, inside in subcubes.items():
            lower = joined.get(prefix >> 1)
            if lower is None:
                joined[prefix >> 1] = inside
                continue
            a, c = _closest(lower, inside, dimension)
            merges.append(Merge(dimension, (a, following[a]), (c, following[c])))
            following[a], following[c] = following[c], following[a]
            joined[prefix >> 1] = lower + inside
        subcubes = joined
    return following, merges


def rings_after(dim: int, ring: GroupRing, steps: int) -> list[tuple[int, ...]]:
    """Return the rings, and the nodes still alone, at the end of step ``steps`` of the configuration.

    Parameters
    ----------
    dim : int
        Dimension of the cube.
    ring : GroupRing
        A ring with its merges.
    steps : int
        Number of steps done, 0 to ``dim``.

    Returns
    -------
    list of tuple of int
        Each from its smallest node on, by ascending smallest nodes. For ascending order, in the mirrored cube.

    Source: Lin and Chen, figure 3(a).
    """
    nodes = [mirror(node, dim) for node in ring.ring] if ring.order == "ascending" else ring.ring
    following = {node: node for node in sorted(nodes)}
    for merge in ring.merges:
        if merge.dimension < steps:
            (a, b), (c, d) = merge.lower, merge.upper
            following[a], following[c] = d, b
    rings: list[tuple[int, ...]] = []
    seen: set[int] = set()
    for node in following:
        if node not in seen:
            rings.append(_walk(following, node))
            seen.update(rings[-1])
    return rings


def buddy_subcubes(dim: int, k: int) -> list[tuple[range, range]]:
    """Return all pairs of buddy k-subcubes: nodes that share all bits above k, with a 0 and with a 1 in bit k.

    Parameters
    ----------
    dim : int
        Dimension of the cube.
    k : int
        Dimension of the subcubes, 0 to ``dim`` - 1; it is also the one in which buddies differ, counted from 0.

    Source: Lin and Chen, definition 6 and figure 1.
    """
    size = 1 << k
    return [(range(low, low + size), range(low + size, low + 2 * size)) for low in range(0, 1 << dim, 2 * size)]


def gray_code(rank: int) -> int:
    """Return the node at a place of the binary reflected Gray code."""
    return rank ^ rank >> 1


def gray_rank(node: int) -> int:
    """Return the place of a node in the binary reflected Gray code."""
    rank = 0
    while node:
        rank ^= node
        node >>= 1
    return rank


def gray_ring(dim: int, nodes: Iterable[int], order: str = GRAY) -> GroupRing:
    """Return the ring of the given nodes in the sequence of the binary reflected Gray code, for comparison.

    Parameters
    ----------
    dim : int
        Dimension of the cube, 1 to 20.
    nodes : iterable of int
        The members, at least one, each once, in any order.
    order : str
        :data:`GRAY`: each path follows the Gray code through all nodes between, so that no link is used twice but a
        path may have up to 2^n - 1 links. One of :data:`ORDERS`: each path is the shortest one in this order of
        dimensions. No link is used twice then either: all members of a subcube {x..xy..y} follow each other in the
        Gray code, so that only one path enters it from outside and only one leaves it, while in descending order two
        paths that share a link enter such a subcube there, and in ascending order both leave one.

    Raises
    ------
    ValueError
        ``dim`` is not from 1 to 20, there is no such order, or the nodes are none, not of the cube, or one of them
        is named twice.

    Source: Lin and Chen, section 1.
    """
    dim, members = _members(dim, nodes)
    ranks = sorted(map(gray_rank, members))
    first = ranks.index(gray_rank(members[0]))
    ranks = ranks[first:] + ranks[:first]
    ring = tuple(map(gray_code, ranks))
    if order in ORDERS:
        return _ring_of(dim, order, ring, ())
    if order != GRAY:
        raise ValueError(f"order must be one of {GRAY}, {', '.join(ORDERS)}, not {order!r}")
    size = 1 << dim
    paths = []
    for rank, after in zip(ranks, (*ranks[1:], ranks[0]), strict=True):
        paths.append(tuple(gray_code((rank + step) % size) for step in range((after - rank) % size + 1)))
    return GroupRing(dim, GRAY, ring, tuple(paths))


def ring_in_sequence(dim: int, nodes: Sequence[int], order: str = "descending") -> GroupRing:
    """Return the ring that visits the nodes in the sequence given, whose paths may share links.

    Parameters
    ----------
    dim : int
        Dimension of the cube, 1 to 20.
    nodes : sequence of int
        The members, at least one, each once; the ring begins with the smallest.
    order : str
        Order of dimensions in which all paths are routed, one of :data:`ORDERS`.

    Raises
    ------
    ValueError
        ``dim`` is not from 1 to 20, there is no such order, or the nodes are none, not of the cube, or one of them
        is named twice.
    """
    dim, members = _members(dim, nodes)
    first = list(nodes).index(members[0])
    return _ring_of(dim, check_order(order), (*nodes[first:], *nodes[:first]), ())


def _members(dim: int, nodes: Iterable[int]) -> tuple[int, list[int]]:
    """Return the dimension and the members, ascending, all checked."""
    dim = check_dim(dim)
    members = sorted(check_node("node", node, dim) for node in check_items("nodes", nodes))
    if not members:
        raise ValueError("nodes must hold at least one address, not none")
    for node, after in pairwise(members):
        if node == after:
            raise ValueError(f"nodes must hold each address once, not {node} again")
    return dim, members


def _closest(lower: Sequence[int], upper: Sequence[int], dimension: int) -> tuple[int, int]:
    """Return the pair of nodes of two ascending lists with the longest common suffix, the smallest of equals."""
    # Two nodes of buddy subcubes have no more than the bits below their dimension in common.
    mask = (1 << dimension) - 1
    while True:
        suffixes = {node & mask for node in upper}
        for a in lower:
            if a & mask in suffixes:
                return a, next(node for node in upper if (node ^ a) & mask == 0)
        mask >>= 1


def _walk(following: dict[int, int], start: int) -> tuple[int, ...]:
    """Return the nodes of the ring that ``start`` is in, from it on."""
    ring = [start]
    while (node := following[ring[-1]]) != start:
        ring.append(node)
    return tuple(ring)


def _ring_of(dim: int, order: str, ring: Sequence[int], merges: Iterable[Merge]) -> GroupRing:
    """Return the ring whose paths are routed in one order of dimensions."""
    ends = zip(ring, (*ring[1:], ring[0]), strict=True)
    paths = tuple(ring_path(member, following, order) for member, following in ends)
    return GroupRing(dim, order, tuple(ring), paths, tuple(merges))


def _hops(path: Sequence[int]) -> int:
    """Return the number of links of a path."""
    return len(path) - 1
