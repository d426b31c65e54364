"""Messages of a file for the multicast router, checked completely before anything is simulated."""

from __future__ import annotations

import dataclasses
from typing import Any

from cubecast.golden.multicast.contract.config import Config
from cubecast.golden.multicast.contract.message import encode
from cubecast.systems.messages import LONGEST_RAW, Event, entries, everyone, only, sender, wholes

__all__ = ["Message", "parse"]

FIELDS = ("source", "destinations", "broadcast", "raw", "data", "cycle")


@dataclasses.dataclass(frozen=True)
class Message:
    """One message of the file.

    Parameters
    ----------
    index : int
        Its place in the file.
    source : int
        Node that sends it.
    words : tuple of int
        Its words as the node's processor injects them.
    expected : tuple of int
        Nodes that have to get it, ascending; faulty ones included, none for a raw message.
    cycle : int
        Earliest cycle of its first word.
    raw : bool
        Whether the words were given as they are.
    """

    index: int
    source: int
    words: tuple[int, ...]
    expected: tuple[int, ...]
    cycle: int
    raw: bool

    def option(self) -> dict[str, Any]:
        """Return what the testbench has to know, as plain values."""
        return {"source": self.source, "words": self.words, "cycle": self.cycle}


def parse(values: object, config: Config, faults: frozenset[int]) -> tuple[list[Message], list[Event]]:
    """Return the messages and the events that the content of a file stands for; errors as of :func:`entries`."""
    return entries(values, config, faults, _message)


def _message(index: int, value: dict[str, Any], config: Config, faults: frozenset[int]) -> Message:
    """Return one message."""
    name = f"messages[{index}]"
    only(name, value, FIELDS)
    source, cycle = sender(name, value, config, faults)
    most = (1 << config.width) - 1
    if "raw" in value:
        words = wholes(f"{name}.raw", value["raw"], most, 1, LONGEST_RAW, "words")
        return Message(index, source, words, (), cycle, True)
    data = wholes(f"{name}.data", value.get("data", []), most, 0, config.max_data, "words")
    if "broadcast" in value:
        words = tuple(encode(config, source, None, data))
        return Message(index, source, words, everyone(config, source, faults), cycle, False)
    top = config.nodes - 1
    nodes = wholes(f"{name}.destinations", value["destinations"], top, 1, config.max_list, "addresses")
    words = tuple(encode(config, source, nodes, data))
    return Message(index, source, words, tuple(sorted(set(nodes))), cycle, False)
