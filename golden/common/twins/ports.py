"""Ports of the cycle twins: types of their values, and packed vectors."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

__all__ = ["Inputs", "Outputs", "Word", "bits", "join", "split"]

Inputs = Mapping[str, int]
"""Values of all input ports in one cycle; a missing port is 0."""

Outputs = dict[str, int | None]
"""Values of all output ports in one cycle; None: not compared in this cycle."""

Word = tuple[int, int, int]
"""One word of a message: data, last, error."""


def split(vector: int, width: int, count: int) -> list[int]:
    """Return the ``count`` items of ``width`` bits of a packed vector, item 0 from the low end."""
    mask = (1 << width) - 1
    return [vector >> width * item & mask for item in range(count)]


def join(items: Iterable[int], width: int) -> int:
    """Return the packed vector of these items of ``width`` bits."""
    vector = 0
    for item, value in enumerate(items):
        vector |= value << width * item
    return vector


def bits(mask: int) -> Iterator[int]:
    """Yield the indices of the ones of ``mask``, ascending."""
    while mask:
        low = mask & -mask
        yield low.bit_length() - 1
        mask ^= low
