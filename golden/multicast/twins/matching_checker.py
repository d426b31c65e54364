"""Matching checker: whether this node is among the destinations."""

from __future__ import annotations

from cubecast.golden.common.twins.ports import Inputs, Outputs
from cubecast.golden.multicast.contract.config import Config

__all__ = ["MatchingChecker"]


class MatchingChecker:
    """Twin of the matching checker; ``match`` is a register, set in the cycle after the destination came.

    Parameters
    ----------
    config : Config
        Parameters of the router.

    Source: Lan 1988, section 6.5.4.
    """

    def __init__(self, config: Config) -> None:
        """Start in reset."""
        self.config = config
        self.match = 0

    def reset(self) -> None:
        """Set the register to its reset value."""
        self.match = 0

    def clear(self) -> None:
        """Take the edge of a cycle in which a new message begins."""
        self.match = 0

    def check(self, relative: int) -> None:
        """Take the edge of a cycle in which a destination with this relative address comes."""
        if relative == 0:
            self.match = 1

    def step(self, inputs: Inputs) -> Outputs:
        """Return this cycle's outputs and take the edge."""
        outputs: Outputs = {"match": self.match}
        if inputs.get("rst") or inputs.get("clear"):
            self.clear()
        elif inputs.get("check"):
            self.check(inputs.get("relative", 0))
        return outputs
