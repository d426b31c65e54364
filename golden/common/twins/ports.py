"""Ports of the cycle twins: types of their values, and packed vectors."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

__all__ = ["Inputs", "Outputs", "Vectors", "Word", "bits", "join", "put", "split", "stream"]

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


class _Ones(dict[int, Sequence[int]]):
    """Indices of the ones by mask; those of small masks are kept, as twins look at their bits all the time."""

    def __missing__(self, mask: int) -> Sequence[int]:
        """Find those of a mask that is not kept."""
        found = tuple(index for index in range(mask.bit_length()) if mask >> index & 1)
        if mask < 1 << 11:
            self[mask] = found
        return found


bits = _Ones().__getitem__
"""``bits(mask)``: the indices of the ones of a mask, ascending."""


def put(mask: int, index: int, value: object) -> int:
    """Return the mask with bit ``index`` set or cleared."""
    return mask | 1 << index if value else mask & ~(1 << index)


def stream(name: str, fields: Sequence[str], payload: Sequence[int] | None) -> Outputs:
    """Return the ports of a stream that offers this payload; None: it offers nothing, and nothing is compared."""
    found: Outputs = {f"{name}__valid": int(payload is not None)}
    for field, value in zip(fields, payload or (None,) * len(fields), strict=True):
        found[f"{name}__{field}"] = value
    return found


class Vectors:
    """Packed vectors of a network's ports, with an item for each node.

    Parameters
    ----------
    prefix : str
        Of their names.
    widths : mapping
        The rest of each name, and the width of an item; 0: there is no such port, the value is left out.
    count : int
        Nodes.
    """

    def __init__(self, prefix: str, widths: Mapping[str, int], count: int) -> None:
        """Start with items of zeros."""
        self._fields = [(prefix + name, width) for name, width in widths.items()]
        self._items: list[Sequence[int]] = [(0,) * len(widths)] * count
        self.zeros = {name: 0 for name, width in self._fields if width}

    def add(self, ports: dict[str, int], node: int, items: Sequence[int]) -> None:
        """Set a node's items in vectors where they are 0."""
        for (name, width), value in zip(self._fields, items, strict=True):
            if value and width:
                ports[name] |= value << width * node

    def change(self, ports: dict[str, int], node: int, items: Sequence[int]) -> None:
        """Set a node's items in vectors where they are what they have been set to before."""
        before = self._items[node]
        if items != before:
            self._items[node] = items
            for (name, width), value, old in zip(self._fields, items, before, strict=True):
                if value != old and width:
                    ports[name] ^= (value ^ old) << width * node
