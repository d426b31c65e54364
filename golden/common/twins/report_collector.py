"""Report collector: the reports of all units of a router, one per cycle."""

from __future__ import annotations

from collections.abc import Sequence

from cubecast.golden.common.contract.units import Control, Requests
from cubecast.golden.common.twins.arbiter import Arbiter
from cubecast.golden.common.twins.ports import Inputs, Outputs

__all__ = ["Collected", "ReportCollector"]


Collected = tuple[int, int, int, int]
"""Reason, destination, port and lane of a report."""


class ReportCollector:
    """Twin of the report collector; a report that is taken in a cycle is passed on in the next one, as ``held``.

    Parameters
    ----------
    config : Control
        Streams of reports, and streams of a port.

    Source: Lan 1988, section 6.4.1 (what the controller must tell the local processor) leaves this open.
    """

    def __init__(self, config: Control) -> None:
        """Start in reset."""
        self.config = config
        self.arbiter = Arbiter(Requests(count=config.units))
        self.held: Collected | None = None

    def reset(self) -> None:
        """Set all registers to their reset values."""
        self.arbiter.reset()
        self.held = None

    def choose(self, offered: int) -> int:
        """Return the unit whose report is taken, -1 if none; ``offered`` is the mask of the units that have one."""
        return self.arbiter.grant(offered)

    def origin(self, unit: int) -> tuple[int, int]:
        """Return port and lane of a unit."""
        return divmod(unit, self.config.lanes)

    def take(self, unit: int, reason: int, destination: int) -> None:
        """Take the edge of a cycle in which this unit's report is taken."""
        self.held = reason, destination, *self.origin(unit)
        self.arbiter.advance(unit)

    def rest(self) -> None:
        """Take the edge of a cycle without a report."""
        self.held = None

    def edge(self, unit: int, report: Sequence[int] | None) -> None:
        """Take the edge of a cycle in which reason and destination are taken from this unit; None: no report is."""
        if report is None:
            self.rest()
        else:
            self.take(unit, *report)

    def step(self, inputs: Inputs) -> Outputs:
        """Return this cycle's outputs and take the edge."""
        units = range(self.config.units)
        unit = self.choose(sum(inputs.get(f"i__{u}__valid", 0) << u for u in units))
        outputs: Outputs = {f"i__{u}__ready": int(u == unit) for u in units}
        outputs["valid"] = int(self.held is not None)
        names = ("reason", "destination", "port", "lane")
        outputs |= dict(zip(names, self.held or (None, None, None, None), strict=True))
        if inputs.get("rst"):
            self.reset()
        elif unit >= 0:
            self.take(unit, inputs.get(f"i__{unit}__reason", 0), inputs.get(f"i__{unit}__destination", 0))
        else:
            self.rest()
        return outputs
