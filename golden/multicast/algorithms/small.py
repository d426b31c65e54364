"""Optimal multicast to two and to three destinations by the nearest common ancestor."""

from __future__ import annotations

from cubecast.golden.common.algorithms.address import distance, nearest_common_ancestor, path_by_dimensions
from cubecast.golden.multicast.algorithms.tree import MulticastTree, check_request, tree_of_parents

__all__ = ["one_to_three", "one_to_two"]


def _along(parents: dict[int, int], start: int, end: int) -> None:
    """Add the path from ``start`` to ``end`` that crosses the lowest dimension first."""
    path = path_by_dimensions(start, end)
    parents.update(zip(path[1:], path, strict=False))


def one_to_two(dim: int, source: int, first: int, second: int) -> MulticastTree:
    """Route a multicast to two destinations with least traffic: over their nearest common ancestor.

    Source
    ------
    Lan 1988, section 4.4, figure 4.9.
    """
    request = check_request(dim, source, (first, second))
    source, (first, second) = request.source, request.destinations
    ancestor = nearest_common_ancestor(source, request.destinations)
    parents: dict[int, int] = {}
    _along(parents, source, ancestor)
    _along(parents, ancestor, first)
    _along(parents, ancestor, second)
    return tree_of_parents(request, "optimal", parents)


def one_to_three(dim: int, source: int, first: int, second: int, third: int) -> MulticastTree:
    """Route a multicast to three destinations with least traffic.

    The pair whose nearest common ancestor is farthest from the source shares a path up to there (of equals: first
    and second, second and third, first and third); the remaining destination branches off at the nearest common
    ancestor of all three.

    Source
    ------
    Lan 1988, section 4.4, figure 4.11, completed by the path between the two ancestors (misprint L10).
    """
    request = check_request(dim, source, (first, second, third))
    source, (first, second, third) = request.source, request.destinations
    all_three = nearest_common_ancestor(source, request.destinations)
    pairs = ((first, second, third), (second, third, first), (first, third, second))
    one, other, remaining = max(pairs, key=lambda pair: distance(source, nearest_common_ancestor(source, pair[:2])))
    shared = nearest_common_ancestor(source, (one, other))
    parents: dict[int, int] = {}
    _along(parents, source, all_three)
    _along(parents, all_three, shared)
    _along(parents, shared, one)
    _along(parents, shared, other)
    _along(parents, all_three, remaining)
    return tree_of_parents(request, "optimal", parents)
