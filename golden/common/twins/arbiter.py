"""Arbiter: round robin."""

from __future__ import annotations

from cubecast.golden.common.twins.ports import Inputs, Outputs
from cubecast.golden.multicast.contract.config import Config
from cubecast.golden.packet.contract.config import PacketConfig

__all__ = ["Arbiter"]


class Arbiter:
    """Twin of the arbiter; the grant is combinational, the pointer a register.

    Parameters
    ----------
    config : Config or PacketConfig
        Parameters of the router.
    count : int
        Number of requesters.

    Source: Lan 1988, section 6.3 (output gateways); round robin so that nobody waits for ever.
    """

    def __init__(self, config: Config | PacketConfig, count: int) -> None:
        """Start in reset."""
        self.config = config
        self.count = count
        self.pointer = 0

    def reset(self) -> None:
        """Set the pointer to its reset value."""
        self.pointer = 0

    def grant(self, request: int) -> int:
        """Return the index of the granted request, -1 if there is none."""
        request = request >> self.pointer << self.pointer or request
        return (request & -request).bit_length() - 1

    def advance(self, granted: int) -> None:
        """Take the edge of a clock in which ``granted`` used its turn."""
        self.pointer = (granted + 1) % self.count

    def step(self, inputs: Inputs) -> Outputs:
        """Return this clock's outputs and take the edge."""
        granted = self.grant(inputs.get("request", 0))
        if inputs.get("rst"):
            self.reset()
        elif inputs.get("advance") and granted >= 0:
            self.advance(granted)
        return {"grant": 1 << granted if granted >= 0 else 0}
