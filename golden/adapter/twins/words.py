"""What the twins of the adapter's units pass to each other."""

from __future__ import annotations

import dataclasses
from typing import NamedTuple

from cubecast.golden.common.twins.ports import Outputs

__all__ = ["CHUNK_FIELDS", "ORDER_FIELDS", "Chunk", "Order", "Said", "Word", "report_outputs", "stream_outputs"]

Said = tuple[int, int]
"""Reason code and destination of a report."""


class Word(NamedTuple):
    """A word of a message, or of a packet that is sent on."""

    data: int = 0
    last: int = 0
    error: int = 0


@dataclasses.dataclass(frozen=True, slots=True)
class Chunk:
    """Some words of a message, in a bank."""

    bank: int = 0
    kind: int = 0
    node: int = 0
    mask: int = 0
    serial: int = 0
    first: int = 0
    final: int = 0
    error: int = 0
    count: int = 0
    ordinal: int = 0


@dataclasses.dataclass(frozen=True, slots=True)
class Order:
    """A packet that is to be sent, or a bank that is to be freed."""

    relay: int = 0
    send: int = 0
    release: int = 0
    bank: int = 0
    kind: int = 0
    r1: int = 0
    r2: int = 0
    bitmap: int = 0
    destination: int = 0
    first: int = 0
    final: int = 0
    error: int = 0
    count: int = 0
    ordinal: int = 0


CHUNK_FIELDS = tuple(field.name for field in dataclasses.fields(Chunk))
ORDER_FIELDS = tuple(field.name for field in dataclasses.fields(Order))


def stream_outputs(prefix: str, item: object, fields: tuple[str, ...]) -> Outputs:
    """Return a stream as ports of a unit; its payload is compared while there is an item."""
    shown: Outputs = {f"{prefix}__{name}": getattr(item, name, None) for name in fields}
    return {f"{prefix}__valid": int(item is not None)} | shown


def report_outputs(report: Said | None) -> Outputs:
    """Return a report stream as ports of a unit."""
    reason, destination = report or (None, None)
    return {"report__valid": int(report is not None), "report__reason": reason, "report__destination": destination}
