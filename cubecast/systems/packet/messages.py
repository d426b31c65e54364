"""Messages of a file for the packet router, checked completely before anything is simulated."""

from __future__ import annotations

import dataclasses
from typing import Any

from cubecast.golden.packet.contract.config import PacketConfig
from cubecast.options.usage import UsageError
from cubecast.systems.messages import LONGEST_RAW, Event, entries, everyone, only, other_nodes, sender, wholes

__all__ = ["PacketMessage", "parse"]

FIELDS = ("source", "destinations", "broadcast", "raw", "slots", "data", "cycle")


@dataclasses.dataclass(frozen=True, kw_only=True)
class PacketMessage:
    """One message of the file.

    Parameters
    ----------
    index : int
        Its place in the file.
    source : int
        Node that sends it.
    cycle : int
        Earliest cycle in which it is put into its send queues.
    destinations : tuple of int
        Nodes that it goes to, as unicasts in this order; none for a broadcast or a raw packet.
    data : tuple of int
        Its words; of a raw packet all words as they are injected, the destination first.
    kind : str
        ``"unicast"``, ``"broadcast"`` or ``"raw"``.
    slots : tuple of int, optional
        Slots that a raw packet is injected with; None: those of a well-formed one.
    expected : tuple of int
        Nodes that have to get it, ascending; faulty ones included, none for a raw packet.
    """

    index: int
    source: int
    cycle: int
    destinations: tuple[int, ...] = ()
    data: tuple[int, ...] = ()
    kind: str = "unicast"
    slots: tuple[int, ...] | None = None
    expected: tuple[int, ...] = ()

    def option(self) -> dict[str, Any]:
        """Return what the testbench has to know, as plain values."""
        names = ("source", "cycle", "destinations", "data", "kind", "slots")
        return {name: getattr(self, name) for name in names}


def parse(values: object, config: PacketConfig, faults: frozenset[int]) -> tuple[list[PacketMessage], list[Event]]:
    """Return the messages and the events that the content of a file stands for; errors as of :func:`entries`."""
    return entries(values, config, faults, _message)


def _message(index: int, value: dict[str, Any], config: PacketConfig, faults: frozenset[int]) -> PacketMessage:
    """Return one message."""
    name = f"messages[{index}]"
    only(name, value, FIELDS)
    source, cycle = sender(name, value, config, faults)
    most = (1 << config.width) - 1
    if "raw" in value:
        words = wholes(f"{name}.raw", value["raw"], most, 1, LONGEST_RAW, "words")
        slots = None
        if "slots" in value:
            slots = wholes(f"{name}.slots", value["slots"], config.dim - 1, 0, config.dim, "dimensions")
        return PacketMessage(index=index, source=source, cycle=cycle, data=words, kind="raw", slots=slots)
    if "slots" in value:
        raise UsageError(f"{name}.slots must be given with raw only")
    if config.max_words < 2:
        raise UsageError(f"{name} must be raw when a packet has no room for data (--max-words {config.max_words})")
    data = wholes(f"{name}.data", value.get("data", []), most, 0, min(most, LONGEST_RAW), "words")
    if "broadcast" in value:
        expected = everyone(config, source, faults)
        return PacketMessage(index=index, source=source, cycle=cycle, data=data, kind="broadcast", expected=expected)
    wanted = tuple(dict.fromkeys(other_nodes(f"{name}.destinations", value["destinations"], config, source)))
    return PacketMessage(
        index=index, source=source, cycle=cycle, destinations=wanted, data=data, expected=tuple(sorted(wanted))
    )
