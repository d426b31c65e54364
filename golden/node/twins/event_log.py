"""Event log: why the processor is interrupted, in order."""

from __future__ import annotations

from typing import NamedTuple

from cubecast.golden.common.twins.ports import Inputs, Outputs
from cubecast.golden.node.contract.config import NodeConfig
from cubecast.golden.node.twins.unit import Unit

__all__ = ["Event", "EventLog"]

LOST = 6
"""Reason of an event that found no room."""


class Event(NamedTuple):
    """An entry of the log."""

    reason: int
    status: int
    source: int
    value: int


class EventLog(Unit):
    """Twin of the event log.

    Parameters
    ----------
    config : NodeConfig
        Its number of entries.

    Source: Buzzard 1988, section 4.5 (reasons of interrupts).
    """

    def __init__(self, config: NodeConfig) -> None:
        """Start in reset."""
        self.config = config
        self.reset()

    def reset(self) -> None:
        """Forget all events."""
        self.entries: list[Event] = []
        self.pending = 0
        self.lost = 0

    @property
    def resting(self) -> bool:
        """Whether an edge changes nothing but the time, as long as nothing comes in."""
        return True

    def show(self, inputs: Inputs) -> Outputs:
        """Return this cycle's outputs."""
        get, oldest = inputs.get, self.entries[0] if self.entries else None
        return {
            "put__0__ready": 1,
            "put__1__ready": int(not get("put__0__valid")),
            "irq": int(self.pending & get("enable", 0) != 0),
            "pending": self.pending,
            "lost": self.lost,
            "event__valid": int(oldest is not None),
            **{f"event__{name}": getattr(oldest, name, None) for name in Event._fields},
        }

    def edge(self, inputs: Inputs, outputs: Outputs) -> None:
        """Take the edge of a cycle with these inputs and outputs."""
        get = inputs.get
        if get("rst"):
            self.reset()
            return
        port = next((port for port in range(2) if get(f"put__{port}__valid")), None)
        self.pending &= ~get("clear", 0)
        room = len(self.entries) != self.config.events or get("pop", 0)
        if get("pop"):
            del self.entries[:1]
        if port is not None:
            event = Event(*(get(f"put__{port}__{name}", 0) for name in Event._fields))
            self.pending |= 1 << event.reason
            if room:
                self.entries.append(event)
            else:
                self.lost = self.lost + 1 & 0xFFFFFFFF
                self.pending |= 1 << LOST
