"""Arbiter: round robin."""

from __future__ import annotations

from cubecast.golden.common.contract.units import Requests
from cubecast.golden.common.twins.ports import Inputs, Outputs

__all__ = ["Arbiter"]


class Arbiter:
    """Twin of the arbiter; the grant is combinational, the pointer a register.

    Parameters
    ----------
    config : Requests
        The number of requesters.

    Source: Lan 1988, section 6.3 (output gateways); round robin so that nobody waits forever.
    """

    def __init__(self, config: Requests) -> None:
        """Start in reset."""
        self.config = config
        self.count = config.count
        self.pointer = 0

    def reset(self) -> None:
        """Set the pointer to its reset value."""
        self.pointer = 0

    def grant(self, request: int) -> int:
        """Return the index of the granted request, -1 if there is none."""
        request = request >> self.pointer << self.pointer or request
        return (request & -request).bit_length() - 1

    def order(self) -> list[int]:
        """Return the requesters, the one that is granted before all others first."""
        return [*range(self.pointer, self.count), *range(self.pointer)]

    def advance(self, granted: int) -> None:
        """Take the edge of a cycle in which ``granted`` used its turn."""
        self.pointer = (granted + 1) % self.count

    def step(self, inputs: Inputs) -> Outputs:
        """Return this cycle's outputs and take the edge."""
        granted = self.grant(inputs.get("request", 0))
        if inputs.get("rst"):
            self.reset()
        elif inputs.get("advance") and granted >= 0:
            self.advance(granted)
        return {"grant": 1 << granted if granted >= 0 else 0}
