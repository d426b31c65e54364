"""Messages of a file for the multicast router, checked completely before anything is simulated."""

from __future__ import annotations

import dataclasses
from typing import Any, ClassVar

from cubecast.golden.multicast.contract.config import Config
from cubecast.golden.multicast.contract.message import encode
from cubecast.systems import messages
from cubecast.systems.messages import LONGEST_RAW, Event, entries, everyone, wholes

__all__ = ["Message", "parse"]

FIELDS = ("source", "destinations", "broadcast", "raw", "data", "cycle")


@dataclasses.dataclass(frozen=True, kw_only=True)
class Message(messages.Message):
    """One message of the file.

    Parameters
    ----------
    words : tuple of int
        Its words as the node's processor injects them.
    raw : bool
        Whether the words were given as they are.
    """

    OPTIONS: ClassVar[tuple[str, ...]] = (*messages.Message.OPTIONS, "words")

    words: tuple[int, ...]
    raw: bool = False


def parse(values: object, config: Config, faults: frozenset[int]) -> tuple[list[Message], list[Event]]:
    """Return the messages and the events that the content of a file stands for; errors as of :func:`entries`."""
    return entries(values, config, faults, _message, FIELDS)


def _message(
    name: str, value: dict[str, Any], fixed: dict[str, Any], config: Config, faults: frozenset[int]
) -> Message:
    """Return one message."""
    source, most = fixed["source"], (1 << config.width) - 1
    if "raw" in value:
        words = wholes(f"{name}.raw", value["raw"], most, 1, LONGEST_RAW, "words")
        return Message(**fixed, words=words, raw=True)
    data = wholes(f"{name}.data", value.get("data", []), most, 0, config.max_data, "words")
    if "broadcast" in value:
        words = tuple(encode(config, source, None, data))
        return Message(**fixed, words=words, expected=everyone(config, source, faults))
    top = config.nodes - 1
    nodes = wholes(f"{name}.destinations", value["destinations"], top, 1, config.max_list, "addresses")
    words = tuple(encode(config, source, nodes, data))
    return Message(**fixed, words=words, expected=tuple(sorted(set(nodes))))
