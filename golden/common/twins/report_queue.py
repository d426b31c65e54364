"""Report queue: keeps two reports until the collector takes them."""

from __future__ import annotations

from cubecast.golden.common.contract.units import Control
from cubecast.golden.common.twins.ports import Inputs, Outputs

__all__ = ["ReportQueue"]

Report = tuple[int, int]


class ReportQueue:
    """Twin of the report queue; a report is offered from the cycle after its put.

    Parameters
    ----------
    config : Control
        Width of an address.

    Source: Buzzard 1988, section 5.5 (error handling); two entries are a decision of this project.
    """

    def __init__(self, config: Control) -> None:
        """Start in reset."""
        self.config = config
        self.reset()

    def reset(self) -> None:
        """Drop all reports."""
        self.entries: list[Report] = []

    @property
    def calm(self) -> bool:
        """Whether nothing is stored."""
        return not self.entries

    @property
    def room(self) -> bool:
        """Whether another report can be stored."""
        return len(self.entries) < 2

    @property
    def oldest(self) -> Report | None:
        """The report offered: reason and destination."""
        return self.entries[0] if self.entries else None

    def edge(self, put: Report | None, taken: int) -> None:
        """Take the edge of a cycle in which ``put`` comes in, and the oldest report is taken or not."""
        entries = self.entries
        if not self.room:
            put = None
        if taken:
            del entries[0]
        if put is not None:
            entries.append(put)

    def step(self, inputs: Inputs) -> Outputs:
        """Return this cycle's outputs and take the edge."""
        get, oldest = inputs.get, self.oldest
        outputs: Outputs = {"calm": int(self.calm), "room": int(self.room), "o__valid": int(oldest is not None)}
        outputs["o__reason"], outputs["o__destination"] = oldest if oldest is not None else (None, None)
        if get("rst"):
            self.reset()
        else:
            put = (get("reason", 0), get("destination", 0)) if get("put") else None
            self.edge(put, oldest is not None and get("o__ready", 0))
        return outputs
