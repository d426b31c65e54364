"""Panel: the button, and the load that it steps."""

from __future__ import annotations

from cubecast.golden.board.contract.config import LOADS, BoardConfig
from cubecast.golden.common.twins.ports import Inputs, Outputs

__all__ = ["Panel"]


class Panel:
    """Twin of the panel; ``heard`` is the button without bouncing, ``late`` the button of the two cycles before.

    Parameters
    ----------
    config : BoardConfig
        Parameters of the board.
    """

    def __init__(self, config: BoardConfig) -> None:
        """Start in reset."""
        self.config = config
        self.reset()

    def reset(self) -> None:
        """Return to the first load."""
        self.late = [0, 0]
        self.heard = self.other = self.place = 0

    @property
    def load(self) -> int:
        """The load in percent."""
        return LOADS[self.place]

    @property
    def rate(self) -> int:
        """Messages per node and cycle, in 2**-24."""
        return self.config.rate(self.load)

    def edge(self, button: int) -> None:
        """Take the edge of a cycle."""
        now = self.late.pop()
        self.late.insert(0, button)
        self.other = self.other + 1 if now != self.heard else 0
        if self.other == self.config.debounce_cycles:
            self.heard, self.other = now, 0
            self.place = (self.place + now) % len(LOADS)

    def step(self, inputs: Inputs) -> Outputs:
        """Return this cycle's outputs and take the edge."""
        outputs: Outputs = {"step": self.place, "load": self.load, "rate": self.rate}
        self.edge(inputs.get("button", 0))
        if inputs.get("rst"):
            self.reset()
        return outputs
