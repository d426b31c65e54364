"""Messages of a file for the packet router, checked completely before anything is simulated."""

from __future__ import annotations

import dataclasses
from typing import Any, ClassVar

from cubecast.golden.packet.contract.config import PacketConfig
from cubecast.options.usage import UsageError
from cubecast.systems.messages import LONGEST_RAW, Event, Planned, entries, everyone, other_nodes, wholes

__all__ = ["HELP", "PacketMessage", "parse"]

HELP = """\
  Words have --width bits. A list of destinations becomes unicasts. Messages longer than a packet are sent as several,
  and put together again at the receiver; the first data word of a message, which is its length, is not shown.
  "raw"           the words of one packet as they are injected: the destination, then data
  "slots"         with raw: dimensions of the buffer slots that take it (default: where a well-formed one would be)
  A message goes into the send queues of its node in its cycle or later, after those before it in the file.
  A link is cut at the end that has it in its vector.
"""
"""What this router has in a file of messages that others have not, for the help text."""

FIELDS = ("source", "destinations", "broadcast", "raw", "slots", "data", "cycle")


@dataclasses.dataclass(frozen=True, kw_only=True)
class PacketMessage(Planned):
    """One message of the file: ``"unicast"``, one to each destination in their order, ``"broadcast"`` or ``"raw"``.

    Parameters
    ----------
    slots : tuple of int, optional
        Slots that a raw packet is injected with; None: those of a well-formed one.
    """

    OPTIONS: ClassVar[tuple[str, ...]] = (*Planned.OPTIONS, "kind", "slots")

    slots: tuple[int, ...] | None = None


def parse(values: object, config: PacketConfig, faults: frozenset[int]) -> tuple[list[PacketMessage], list[Event]]:
    """Return the messages and the events that the content of a file stands for; errors as of :func:`entries`."""
    return entries(values, config, faults, _message, FIELDS)


def _message(
    name: str, value: dict[str, Any], fixed: dict[str, Any], config: PacketConfig, faults: frozenset[int]
) -> PacketMessage:
    """Return one message."""
    source, most = fixed["source"], (1 << config.width) - 1
    if "raw" in value:
        words = wholes(f"{name}.raw", value["raw"], most, 1, LONGEST_RAW, "words")
        slots = None
        if "slots" in value:
            slots = wholes(f"{name}.slots", value["slots"], config.dim - 1, 0, config.dim, "dimensions")
        return PacketMessage(**fixed, data=words, kind="raw", slots=slots)
    if "slots" in value:
        raise UsageError(f"{name}.slots must be given with raw only")
    if config.max_words < 2:
        raise UsageError(f"{name} must be raw when a packet has no room for data (--max-words {config.max_words})")
    data = wholes(f"{name}.data", value.get("data", []), most, 0, min(most, LONGEST_RAW), "words")
    if "broadcast" in value:
        return PacketMessage(**fixed, data=data, kind="broadcast", expected=everyone(config, source, faults))
    wanted = tuple(dict.fromkeys(other_nodes(f"{name}.destinations", value["destinations"], config, source)))
    return PacketMessage(**fixed, data=data, destinations=wanted, expected=tuple(sorted(wanted)), kind="unicast")
