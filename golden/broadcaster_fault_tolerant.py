"""Broadcaster with control vectors: BROADCAST.F3."""

from __future__ import annotations

from cubecast.golden.config import Config
from cubecast.golden.ports import Inputs, Outputs, join

__all__ = ["BroadcasterFaultTolerant"]


class BroadcasterFaultTolerant:
    """Twin of the broadcaster of BROADCAST.F3; combinational.

    A dimension of the control vector that is faulty here is handed on to every neighbour the message is sent to.

    Parameters
    ----------
    config : Config
        Parameters of the router.

    Source: Lan 1988, section 7.4, figure 7.10.
    """

    def __init__(self, config: Config) -> None:
        """Note, for each dimension, the dimensions above it."""
        self.config = config
        self._dim = config.dim
        self._above = [config.nodes - (2 << j) for j in range(config.dim)]

    @staticmethod
    def send(control: int, fault: int) -> int:
        """Return the dimensions the message is sent to."""
        return control & ~fault

    def controls(self, control: int, fault: int) -> list[int]:
        """Return the control vector that goes with the message in each dimension."""
        return [control & (above | fault) for above in self._above]

    def step(self, inputs: Inputs) -> Outputs:
        """Return this clock's outputs."""
        control, fault = inputs.get("control", 0), inputs.get("fault", 0)
        return {"send": self.send(control, fault), "controls": join(self.controls(control, fault), self._dim)}
