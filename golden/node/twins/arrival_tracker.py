"""Arrival tracker: reads of what has not come yet."""

from __future__ import annotations

from cubecast.golden.common.twins.ports import Inputs, Outputs
from cubecast.golden.node.contract.config import NodeConfig
from cubecast.golden.node.twins.unit import Unit

__all__ = ["ArrivalTracker"]


class ArrivalTracker(Unit):
    """Twin of the arrival tracker.

    Parameters
    ----------
    config : NodeConfig
        Its number of entries.

    Source: Buzzard 1988, sections 5.1 and 5.4.6 (arrival tracking unit).
    """

    def __init__(self, config: NodeConfig) -> None:
        """Start in reset."""
        self.config = config
        self.reset()

    def reset(self) -> None:
        """Set all registers to their reset values."""
        self.entries: list[tuple[int, int] | None] = [None] * self.config.tracked
        self.early = self.told = 0
        self.event: int | None = None

    def hit(self, address: int, size: int) -> bool:
        """Return whether a read touches bytes that are still to come."""
        return any(
            entry is not None and address <= entry[1] and address + (1 << size) - 1 >= entry[0]
            for entry in self.entries
        )

    @property
    def resting(self) -> bool:
        """Whether an edge changes nothing but the time, as long as nothing comes in."""
        return not self.early and self.event is None

    def show(self, inputs: Inputs) -> Outputs:
        """Return this cycle's outputs."""
        entry = self.entries.index(None) if None in self.entries else None
        return {
            "full": int(entry is None),
            "entry": entry,
            "early": self.early,
            "event__valid": int(self.event is not None),
            "event__address": self.event,
        }

    def edge(self, inputs: Inputs, outputs: Outputs) -> None:
        """Take the edge of a cycle with these inputs and outputs."""
        get, entry = inputs.get, outputs["entry"]
        if get("rst"):
            self.reset()
            return
        address = get("watch__address", 0)
        hit = bool(get("watch__valid")) and self.hit(address, get("watch__size", 0))
        tell = hit and (not self.told or bool(get("clear")))
        self.event = address if tell else None
        self.early = int(hit)
        self.told = int(hit or (self.told and not get("clear")))
        if get("move"):
            moved = self.entries[get("move_entry", 0)]
            if moved is not None:
                self.entries[get("move_entry", 0)] = get("move_next", 0), moved[1]
        if get("close"):
            self.entries[get("close_entry", 0)] = None
        if get("open") and entry is not None:
            self.entries[entry] = get("open_next", 0), get("open_last", 0)
