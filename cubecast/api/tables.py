"""Results as tables: a column for each field, as NumPy and pandas take them."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

__all__ = ["columns"]


def columns(rows: Sequence[Any]) -> dict[str, np.ndarray[Any, Any]]:
    """Return the fields of dataclasses as arrays, one element for each of them.

    Numbers and truth values become arrays of their kind, all else arrays of objects; members of a field that is itself
    a dataclass or a mapping get columns of their own, ``field_member``. ``pandas.DataFrame(columns(rows))`` is the
    table.

    Parameters
    ----------
    rows : sequence of dataclass
        All of one class, such as ``Simulation.deliveries`` or ``Load.points``.

    Examples
    --------
    >>> @dataclasses.dataclass
    ... class Row:
    ...     node: int
    ...     data: tuple[int, ...]
    >>> columns([Row(1, (5,)), Row(2, ())])["node"]
    array([1, 2])
    """
    flat = [_flat("", dataclasses.asdict(row)) for row in rows]
    return {name: _column([row[name] for row in flat]) for name in (flat[0] if flat else ())}


def _flat(name: str, value: Mapping[str, Any]) -> dict[str, Any]:
    """Return the members of a mapping, those of mappings in it under longer names."""
    found: dict[str, Any] = {}
    for key, member in value.items():
        longer = f"{name}_{key}" if name else str(key)
        found |= _flat(longer, member) if isinstance(member, Mapping) else {longer: member}
    return found


def _column(values: Sequence[Any]) -> np.ndarray[Any, Any]:
    """Return an array with these elements; None among numbers is not a number."""
    if all(isinstance(value, bool | int | float | str) for value in values):
        return np.array(values)
    if all(value is None or isinstance(value, int | float) for value in values):
        return np.array([np.nan if value is None else value for value in values])
    found = np.empty(len(values), object)
    found[:] = values
    return found
