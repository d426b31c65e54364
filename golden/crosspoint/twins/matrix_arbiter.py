"""Matrix arbiter: the requester that was served longest ago."""

from __future__ import annotations

from cubecast.golden.common.contract.units import Requests
from cubecast.golden.common.twins.ports import Inputs, Outputs

__all__ = ["MatrixArbiter"]


class MatrixArbiter:
    """Twin of the matrix arbiter; the grant is combinational, the order of the requesters a register.

    ``order`` are the requesters, the one that was served longest ago first.

    Parameters
    ----------
    config : Requests
        The number of requesters.
    """

    def __init__(self, config: Requests) -> None:
        """Start in reset."""
        self.config = config
        self.reset()

    def reset(self) -> None:
        """Set the order to its reset value."""
        self.order = list(range(self.config.count))

    def grant(self, request: int) -> int:
        """Return the requester that is granted, -1 if there is none."""
        return next((k for k in self.order if request >> k & 1), -1)

    def advance(self, granted: int) -> None:
        """Take the edge of a cycle with this grant."""
        self.order.remove(granted)
        self.order.append(granted)

    def step(self, inputs: Inputs) -> Outputs:
        """Return this cycle's outputs and take the edge."""
        granted = self.grant(inputs.get("request", 0))
        if inputs.get("rst"):
            self.reset()
        elif granted >= 0:
            self.advance(granted)
        return {"grant": 1 << granted if granted >= 0 else 0}
