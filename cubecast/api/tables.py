"""Results as tables: a column for each field, as NumPy and pandas take them."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np

from cubecast.golden.common.algorithms.address import check_items
from cubecast.options.usage import UsageError, shown

__all__ = ["columns"]


def columns(rows: Iterable[Any]) -> dict[str, np.ndarray[Any, Any]]:
    """Return the fields of dataclasses as arrays, one element for each of them.

    Numbers and truth values become arrays of their kind, all else arrays of objects; members of a field that is itself
    a dataclass or a mapping get columns of their own, ``field_member``, with None where an element has no such member.
    ``pandas.DataFrame(columns(rows))`` is the table.

    Parameters
    ----------
    rows : iterable of dataclass
        All of one class, such as ``Simulation.deliveries`` or ``Load.points``.

    Raises
    ------
    ValueError
        They are something else.

    Examples
    --------
    >>> @dataclasses.dataclass
    ... class Row:
    ...     node: int
    ...     data: tuple[int, ...]
    >>> columns([Row(1, (5,)), Row(2, ())])["node"]
    array([1, 2])
    """
    flat = []
    for place, row in enumerate(check_items("rows", rows, "dataclasses")):
        if not dataclasses.is_dataclass(row) or isinstance(row, type):
            raise UsageError(f"rows[{place}] must be a dataclass with its values, not {shown(row)}")
        flat.append(_flat("", dataclasses.asdict(row)))
    names = dict.fromkeys(name for row in flat for name in row)
    return {name: _column([row.get(name) for row in flat]) for name in names}


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
