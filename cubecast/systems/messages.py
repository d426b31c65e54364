"""Files of messages and fault events, checked completely before anything is simulated: what all systems share."""

from __future__ import annotations

import dataclasses
import json
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, ClassVar, TypeVar

from cubecast.options.inputs import parsed, text_of
from cubecast.options.usage import UsageError, shown

__all__ = [
    "LATEST",
    "LONGEST_RAW",
    "Event",
    "Message",
    "Planned",
    "entries",
    "everyone",
    "load",
    "only",
    "other_nodes",
    "whole",
    "wholes",
]

M = TypeVar("M")

LATEST = 10**9
"""Latest cycle in which a message may be told to start, or an event to happen."""

LONGEST_RAW = 10**5
"""Most words of a raw message."""

KINDS = ("destinations", "broadcast", "raw")
"""What a message of any router can be, by the field that says so."""

EVENT_FIELDS = ("cycle", "node", "fault")


@dataclasses.dataclass(frozen=True)
class Event:
    """One change of a fault vector.

    Parameters
    ----------
    index : int
        Its place in the file.
    cycle : int
        Cycle in which the node's FAULT register is written; the links are cut from the cycle after the next on.
    node : int
        Whose register.
    vector : int
        What is written: bit j set for a faulty dimension j.
    """

    index: int
    cycle: int
    node: int
    vector: int


@dataclasses.dataclass(frozen=True, kw_only=True)
class Message:
    """What a message of any router is.

    Parameters
    ----------
    index : int
        Its place in the file.
    source : int
        Node that sends it.
    cycle : int
        Earliest cycle of its first word.
    expected : tuple of int
        Nodes that have to get it, ascending; faulty ones included if the file names them, none for a raw message.
    """

    OPTIONS: ClassVar[tuple[str, ...]] = ("source", "cycle")

    index: int
    source: int
    cycle: int
    expected: tuple[int, ...] = ()

    def option(self) -> dict[str, Any]:
        """Return what the testbench has to know, as plain values."""
        return {name: getattr(self, name) for name in self.OPTIONS}


@dataclasses.dataclass(frozen=True, kw_only=True)
class Planned(Message):
    """A message whose packets the host of its source makes when its cycle has come.

    Parameters
    ----------
    destinations : tuple of int
        Nodes that it goes to; none for a raw packet.
    data : tuple of int
        Its words; of a raw packet all words as they are injected.
    kind : str
        What it is, in words.
    """

    OPTIONS: ClassVar[tuple[str, ...]] = (*Message.OPTIONS, "destinations", "data")

    destinations: tuple[int, ...] = ()
    data: tuple[int, ...] = ()
    kind: str = "raw"


def load(path: Path, what: str = "messages") -> object:
    """Return the content of a JSON file; ``what`` names it in errors.

    Raises
    ------
    UsageError
        The file cannot be read or is no JSON.
    """
    text = text_of(path, f"{what} file")
    try:
        return parsed(text)
    except json.JSONDecodeError as error:
        where = f"line {error.lineno} column {error.colno}"
        raise UsageError(f"{what} file {str(path)!r} must be JSON; {where}: {error.msg}") from error
    except RecursionError as error:
        raise UsageError(f"{what} file {str(path)!r} must not be nested that deeply") from error
    except ValueError as error:
        raise UsageError(f"{what} file {str(path)!r} must be JSON that can be read: {error}") from error


def entries(
    values: object,
    config: Any,
    faults: frozenset[int],
    message: Callable[[str, dict[str, Any], dict[str, Any], Any, frozenset[int]], M],
    fields: Sequence[str],
    kinds: Sequence[str] = KINDS,
) -> tuple[list[M], list[Event]]:
    """Return the messages, and the events.

    Parameters
    ----------
    values : object
        What is in the file.
    config : configuration
        Parameters of the network.
    faults : set of int
        Faulty nodes.
    message : function
        ``message(name, value, fixed, config, faults)`` returns a message: its name in errors, its object, and its
        index, source and cycle.
    fields : sequence of str
        Those that a message may have.
    kinds : sequence of str
        Those of which it has exactly one.

    Raises
    ------
    UsageError
        One line with the index of the message, the field, its value and what is allowed.
    """
    if not isinstance(values, list):
        raise UsageError(f"messages must be a list of objects, not {shown(values)}")
    messages, events = [], []
    for index, value in enumerate(values):
        if not isinstance(value, dict):
            raise UsageError(f"messages[{index}] must be an object, not {shown(value)}")
        if "fault" in value or "node" in value:
            events.append(_event(index, value, config))
        else:
            name = f"messages[{index}]"
            only(name, value, fields)
            fixed = {"index": index, **_sender(name, value, config, faults, kinds)}
            messages.append(message(name, value, fixed, config, faults))
    return messages, events


def only(name: str, value: dict[str, Any], fields: Sequence[str]) -> None:
    """Check that an object has no other fields."""
    for key in value:
        if key not in fields:
            raise UsageError(f"{name} must have no fields but {', '.join(fields)}, not {shown(key)}")


def _event(index: int, value: dict[str, Any], config: Any) -> Event:
    """Return one event."""
    name = f"messages[{index}]"
    only(name, value, EVENT_FIELDS)
    for key in EVENT_FIELDS:
        if key not in value:
            raise UsageError(f"{name}.{key} must be given")
    if not config.fault_tolerant:
        raise UsageError(
            f"{name}.fault must not be given without a fault vector (--fault-tolerant), not {shown(value['fault'])}"
        )
    cycle = whole(f"{name}.cycle", value["cycle"], LATEST)
    node = whole(f"{name}.node", value["node"], config.nodes - 1)
    dimensions = wholes(f"{name}.fault", value["fault"], config.dim - 1, 0, config.dim, "dimensions")
    return Event(index, cycle, node, sum(1 << dimension for dimension in set(dimensions)))


def _sender(
    name: str, value: dict[str, Any], config: Any, faults: frozenset[int], kinds: Sequence[str]
) -> dict[str, int]:
    """Return source and cycle of a message, which is of one of some kinds."""
    found = [key for key in kinds if key in value]
    if len(found) != 1:
        allowed = f"{', '.join(kinds[:-1])} and {kinds[-1]}"
        raise UsageError(f"{name} must have exactly one of {allowed}, not {' and '.join(found) or 'none'}")
    if value.get("broadcast", True) is not True:
        raise UsageError(f"{name}.broadcast must be true, not {shown(value['broadcast'])}")
    if "raw" in value and "data" in value:
        raise UsageError(f"{name}.data must not be given with raw, which holds all words")
    if "source" not in value:
        raise UsageError(f"{name}.source must be given")
    source = whole(f"{name}.source", value["source"], config.nodes - 1)
    if source in faults:
        raise UsageError(f"{name}.source must be a fault-free node, not {source}")
    return {"source": source, "cycle": whole(f"{name}.cycle", value.get("cycle", 0), LATEST)}


def everyone(config: Any, source: int, faults: frozenset[int]) -> tuple[int, ...]:
    """Return whom a broadcast has to reach: all fault-free nodes but its source."""
    return tuple(node for node in range(config.nodes) if node != source and node not in faults)


def other_nodes(name: str, value: object, config: Any, source: int) -> tuple[int, ...]:
    """Return ``value`` if it is a list of nodes, one at least, without the source."""
    nodes = wholes(name, value, config.nodes - 1, 1, config.nodes, "addresses")
    for place, node in enumerate(nodes):
        if node == source:
            raise UsageError(f"{name}[{place}] must be another node than the source, not {node}")
    return nodes


def whole(name: str, value: Any, most: int) -> int:
    """Return ``value`` if it is an integer from 0 to ``most``."""
    if type(value) is not int or not 0 <= value <= most:
        raise UsageError(f"{name} must be an integer from 0 to {most}, not {shown(value)}")
    return value


def wholes(name: str, value: Any, most: int, least_count: int, most_count: int, what: str) -> tuple[int, ...]:
    """Return ``value`` if it is a list of integers from 0 to ``most``, neither too short nor too long."""
    if not isinstance(value, Sequence) or isinstance(value, str):
        raise UsageError(f"{name} must be a list of {what}, not {shown(value)}")
    if not least_count <= len(value) <= most_count:
        raise UsageError(f"{name} must hold {least_count} to {most_count} {what}, not {len(value)}")
    return tuple(whole(f"{name}[{index}]", item, most) for index, item in enumerate(value))
