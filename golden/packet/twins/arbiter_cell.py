"""Arbiter cell: one of two requesters, by turns."""

from __future__ import annotations

from cubecast.golden.common.twins.ports import Inputs, Outputs
from cubecast.golden.packet.contract.config import PacketConfig

__all__ = ["ArbiterCell"]


class ArbiterCell:
    """Twin of the 1-of-2 arbiter; the grant is combinational, ``toggle`` a register.

    Parameters
    ----------
    config : PacketConfig
        Parameters of the router.

    Source: Buzzard 1988, section 5.4.3, figure 5.6.
    """

    def __init__(self, config: PacketConfig) -> None:
        """Start in reset."""
        self.config = config
        self.reset()

    def reset(self) -> None:
        """Let side 0 win the next tie."""
        self.toggle = 0

    def side(self, request: int) -> int:
        """Return the side that wins among these two request bits, -1 if there is none."""
        return self.toggle if request == 3 else request - 1

    def step(self, inputs: Inputs) -> Outputs:
        """Return this cycle's outputs and take the edge."""
        request = inputs.get("request", 0)
        side = self.side(request) if inputs.get("granted") else -1
        if inputs.get("rst"):
            self.reset()
        elif inputs.get("advance") and side >= 0:
            self.toggle = 1 - side
        return {"any": int(request != 0), "grant": 1 << side if side >= 0 else 0}
