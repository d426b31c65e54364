"""Link guard: how long a link with registers stays cut, so that both ends agree what was lost."""

from __future__ import annotations

from cubecast.golden.common.twins.ports import Inputs, Outputs
from cubecast.golden.crosspoint.contract.config import CrosspointConfig

__all__ = ["LinkGuard"]


class LinkGuard:
    """Twin of the link guard; ``past`` are the masks of the links that were down, the latest cycle first.

    Parameters
    ----------
    config : CrosspointConfig
        Parameters of the router.
    """

    def __init__(self, config: CrosspointConfig) -> None:
        """Start in reset."""
        self.config = config
        self._guarded = config.fault_tolerant
        self._length = 2 * config.forward + 1 if config.forward and self._guarded else 0
        self.reset()

    def reset(self) -> None:
        """Set all registers to their reset values."""
        self.past = [0] * self._length

    def down(self, link_down: int) -> int:
        """Return the links that are down for the control port."""
        if not self._guarded:
            return 0
        for mask in self.past[:-1]:
            link_down |= mask
        return link_down

    @property
    def young(self) -> int:
        """The links at which the neighbour may have sent what comes now before it knew of a cut."""
        if not self.past:
            return 0
        old = self.config.nodes - 1
        for mask in self.past:
            old &= mask
        return old ^ self.config.nodes - 1

    def edge(self, fault: int, link_down: int) -> None:
        """Take the edge of a cycle."""
        if self.past:
            self.past = [fault | link_down, *self.past[:-1]]

    def step(self, inputs: Inputs) -> Outputs:
        """Return this cycle's outputs and take the edge."""
        fault, link_down = inputs.get("fault", 0), inputs.get("link_down", 0)
        outputs: Outputs = {"down": self.down(link_down), "young": self.young}
        if inputs.get("rst"):
            self.reset()
        else:
            self.edge(fault, link_down)
        return outputs
