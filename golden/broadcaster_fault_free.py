"""Broadcaster for the fault-free message format: the dimensions above the last one crossed."""

from __future__ import annotations

from cubecast.golden.config import Config
from cubecast.golden.ports import Inputs, Outputs

__all__ = ["BroadcasterFaultFree"]


class BroadcasterFaultFree:
    """Twin of the broadcaster of BROADCAST.2; combinational.

    Parameters
    ----------
    config : Config
        Parameters of the router.

    Source: Lan 1988, section 6.5.6, figure 6.5.
    """

    def __init__(self, config: Config) -> None:
        """Note the dimensions."""
        self.config = config
        self._all = config.nodes - 1

    def send(self, source: int) -> int:
        """Return the dimensions at and above which the relative source address has no one."""
        return self._all >> source.bit_length() << source.bit_length()

    def step(self, inputs: Inputs) -> Outputs:
        """Return this clock's outputs."""
        return {"send": self.send(inputs.get("source", 0))}
