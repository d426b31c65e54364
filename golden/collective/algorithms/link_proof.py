"""Proof that paths are link-disjoint: who uses each link, and theorem 1 on all pairs."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property

from cubecast.golden.collective.algorithms.ring_path import ORDERS, conflicting_pairs, links_of

__all__ = ["LinkProof", "prove"]


@dataclass(frozen=True)
class LinkProof:
    """Which paths use which links.

    Parameters
    ----------
    dim : int
        Dimension of the cube.
    order : str
        Order of dimensions of all paths; one that is not in :data:`ORDERS` means that they have no common one.
    paths : tuple of tuple of int
        The paths, as nodes.
    users : dict of tuple to tuple of int
        For every link that is used, (from, to), the paths that cross it, by their index, once for each crossing.
    """

    dim: int
    order: str
    paths: tuple[tuple[int, ...], ...]
    users: dict[tuple[int, int], tuple[int, ...]]

    @property
    def disjoint(self) -> bool:
        """Whether no link is crossed twice."""
        return not self.contended

    @cached_property
    def contended(self) -> dict[tuple[int, int], tuple[int, ...]]:
        """The links that are crossed more than once, with their users."""
        return {link: users for link, users in self.users.items() if len(users) > 1}

    def check(self) -> None:
        """Check the proof without trusting how it was made.

        Every path is walked again, and each of its links must stand in the table with it, and nothing else may.
        Where all paths have one order of dimensions, theorem 1 is applied to every pair of them, from their ends
        alone; the pairs it finds must be those that meet in the table. It takes time quadratic in the number of
        paths, about a second for 10,000.

        Raises
        ------
        ValueError
            The proof is wrong; one line with the reason. That the paths are not disjoint is no reason.

        Source: Lin and Chen, theorem 1.
        """
        left = {link: list(users) for link, users in self.users.items()}
        for index, path in enumerate(self.paths):
            for link in links_of(path):
                if (link[0] ^ link[1]).bit_count() != 1:
                    raise ValueError(f"link must join neighbours, not {link[0]} to {link[1]} of path {index}")
                if index not in left.get(link, ()):
                    raise ValueError(
                        f"users must name path {index} on link {link[0]} to {link[1]}, not {left.get(link)}"
                    )
                left[link].remove(index)
        for (start, end), users in left.items():
            if users:
                raise ValueError(f"users must name only paths that cross link {start} to {end}, not {users}")
        if self.order not in ORDERS:
            return
        met = {(i, j) for users in self.contended.values() for i in users for j in users if i < j}
        tested = set(conflicting_pairs(self.dim, [(path[0], path[-1]) for path in self.paths], self.order))
        if met != tested:
            i, j = min(met ^ tested)
            raise ValueError(f"theorem 1 must agree with the links of paths {i} and {j}, not say the opposite")


def prove(dim: int, order: str, paths: Iterable[Sequence[int]]) -> LinkProof:
    """Return the table of the links that paths use.

    Parameters
    ----------
    dim : int
        Dimension of the cube.
    order : str
        Order of dimensions of all paths, or another word if they have no common one.
    paths : iterable of sequence of int
        The paths, as nodes.
    """
    walked = tuple(tuple(path) for path in paths)
    users: dict[tuple[int, int], list[int]] = {}
    for index, path in enumerate(walked):
        for link in links_of(path):
            users.setdefault(link, []).append(index)
    return LinkProof(dim, order, walked, {link: tuple(found) for link, found in users.items()})
