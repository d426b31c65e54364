"""What is told of messages that were followed through a network: the parts of reports that several systems share."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from cubecast.options.text import address, nested

__all__ = ["OUT_OF_ORDER", "arrived", "deliveries", "disordered", "grouped", "starts", "way"]

OUT_OF_ORDER = "OUT_OF_ORDER"
"""Reason given where the packets of a message, or those of two, came in another order than they were sent."""


def starts(messages: Sequence[Any], seen: dict[str, Any]) -> dict[int, int]:
    """Return the cycle in which the first word of each message's first packet was taken, by the message's index."""
    return {messages[record["message"]].index: record["cycle"] for record in seen["starts"]}


def deliveries(config: Any, messages: Sequence[Any], seen: dict[str, Any]) -> list[dict[str, Any]]:
    """Return what nodes got, as plain values."""
    names = ("node", "first_cycle", "last_cycle", "data", "error")
    return [
        {"message": messages[record["message"]].index} | {name: record[name] for name in names}
        for record in seen["deliveries"]
    ]


def arrived(seen: dict[str, Any], found: Sequence[dict[str, Any]]) -> Sequence[dict[str, Any]]:
    """Return the deliveries that settle what is owed to a node: whole messages."""
    return [delivery for record, delivery in zip(seen["deliveries"], found, strict=True) if record["whole"]]


def disordered(seen: dict[str, Any], found: Sequence[dict[str, Any]]) -> list[dict[str, Any]]:
    """Return an error for each delivery of a whole message that came out of order."""
    return [
        {"node": delivery["node"], "reason": OUT_OF_ORDER, "message": delivery["message"]}
        for record, delivery in zip(seen["deliveries"], found, strict=True)
        if record["whole"] and not record["ordered"]
    ]


def grouped(found: Iterable[tuple[int, str, int, str, Iterable[int]]]) -> list[dict[str, Any]]:
    """Return errors, those of one node on one message with one reason together.

    Parameters
    ----------
    found : iterable of tuple
        Node, reason, index of the message; ``"destinations"`` or ``"to"`` and the nodes concerned, or ``""``.
    """
    errors: dict[tuple[int, str, int], dict[str, Any]] = {}
    for node, reason, index, key, nodes in found:
        entry = errors.setdefault((node, reason, index), {"node": node, "reason": reason, "message": index})
        if key:
            entry[key] = sorted({*entry.get(key, ()), *nodes})
    return list(errors.values())


def way(
    dim: int, message: Any, kind: str, crossings: Iterable[tuple[int, int, int, Any, bool]], *, at_home: bool = False
) -> Iterator[str]:
    """Yield the way of a message, with the cycle in which it crossed each link; ``*`` where it is delivered.

    Parameters
    ----------
    dim : int
        Dimension of the cube.
    message
        With ``index`` and ``source``.
    kind : str
        What it is, in words.
    crossings : iterable of tuple
        Every link crossed, in the order in which it was: from, to, cycle, which copy it was, whether ``to`` got it.
    at_home : bool
        Whether the source got it.
    """
    below: dict[int, list[tuple[str, int]]] = defaultdict(list)
    # A node may get two copies, one after the other, when a link fails: what it sends belongs to the one it got last.
    arrival: dict[tuple[int, Any], int] = {}

    def name(node: int, delivered: bool) -> str:
        """Return a node's address, with its mark."""
        return f"{node} {node:0{dim}b}{' *' if delivered else ''}"

    for step, (start, to, cycle, copy, delivered) in enumerate(crossings, start=1):
        label = f"{(start ^ to).bit_length() - 1}→ {name(to, delivered)}  cycle {cycle}"
        below[arrival.get((start, copy), 0)].append((label, step))
        arrival[to, copy] = step
    yield f"message {message.index} from {address(message.source, dim)}, {kind}"
    yield name(message.source, at_home)
    yield from nested(below[0], lambda step: below[step])
