"""Rings by a literal reading of Lin and Chen: paths step by step, and the method with every choice it leaves open."""

from __future__ import annotations

from collections.abc import Iterator


def suffix(x: int, y: int, dim: int) -> int:
    """Return the number of low-order bits that two addresses share, counted one by one."""
    count = 0
    while count < dim and (x >> count & 1) == (y >> count & 1):
        count += 1
    return count


def walk(start: int, end: int, dimensions: range) -> list[int]:
    """Return the path that corrects the dimensions in the order given."""
    path = [start]
    for j in dimensions:
        if (path[-1] >> j & 1) != (end >> j & 1):
            path.append(path[-1] ^ 1 << j)
    return path


def every_ring(dim: int, members: list[int]) -> set[tuple[int, ...]]:
    """Return the rings of all choices among equally good pairs, each from its smallest member on."""
    found = set()
    for ring in _rings(dim, members):
        first = ring.index(min(ring))
        found.add(ring[first:] + ring[:first])
    return found


def _rings(k: int, members: list[int]) -> Iterator[tuple[int, ...]]:
    """Yield the rings, or single nodes, or nothing, of a k-subcube, as the pseudo-code makes them."""
    if len(members) <= 1:
        if members:
            yield tuple(members)
        return
    half = [[node for node in members if node >> (k - 1) & 1 == bit] for bit in (0, 1)]
    if not half[0] or not half[1]:
        yield from _rings(k - 1, half[0] or half[1])
        return
    for lower in _rings(k - 1, half[0]):
        for upper in _rings(k - 1, half[1]):
            best = max(suffix(a, c, k) for a in lower for c in upper)
            for i, a in enumerate(lower):
                for j, c in enumerate(upper):
                    if suffix(a, c, k) == best:
                        # After A come all of the other ring from D on, round to C, then B.
                        yield lower[: i + 1] + upper[j + 1 :] + upper[: j + 1] + lower[i + 1 :]
