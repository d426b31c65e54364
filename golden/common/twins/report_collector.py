"""Report collector: the reports of all units of a router, one per cycle."""

from __future__ import annotations

from cubecast.golden.common.contract.units import Control, Requests
from cubecast.golden.common.twins.arbiter import Arbiter
from cubecast.golden.common.twins.ports import Inputs, Outputs

__all__ = ["ReportCollector"]


class ReportCollector:
    """Twin of the report collector; a report is passed on in the cycle in which it is taken.

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

    def reset(self) -> None:
        """Set all registers to their reset values."""
        self.arbiter.reset()

    def choose(self, offered: int) -> int:
        """Return the unit whose report is taken, -1 if none; ``offered`` is the mask of the units that have one."""
        return self.arbiter.grant(offered)

    def origin(self, unit: int) -> tuple[int, int]:
        """Return port and lane of a unit."""
        return divmod(unit, self.config.lanes)

    def step(self, inputs: Inputs) -> Outputs:
        """Return this cycle's outputs and take the edge."""
        units = range(self.config.units)
        unit = self.choose(sum(inputs.get(f"i__{u}__valid", 0) << u for u in units))
        outputs: Outputs = {f"i__{u}__ready": int(u == unit) for u in units}
        outputs |= {"valid": int(unit >= 0), "reason": None, "destination": None, "port": None, "lane": None}
        if unit >= 0:
            outputs["reason"] = inputs.get(f"i__{unit}__reason", 0)
            outputs["destination"] = inputs.get(f"i__{unit}__destination", 0)
            outputs["port"], outputs["lane"] = self.origin(unit)
        if inputs.get("rst"):
            self.reset()
        elif unit >= 0:
            self.arbiter.advance(unit)
        return outputs
