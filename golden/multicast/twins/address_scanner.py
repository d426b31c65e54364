"""Address scanner (ADSC): the rows that have a one in the chosen column."""

from __future__ import annotations

from collections.abc import Sequence

from cubecast.golden.common.twins.ports import Inputs, Outputs, split
from cubecast.golden.multicast.contract.config import Config

__all__ = ["AddressScanner"]


class AddressScanner:
    """Twin of the address scanner; combinational.

    Parameters
    ----------
    config : Config
        Parameters of the router.

    Source: Lan 1988, section 6.6.4.
    """

    def __init__(self, config: Config) -> None:
        """Note the shape of the inputs."""
        self.config = config
        self._shape = (config.dim, config.max_dest)

    @staticmethod
    def scan(rows: Sequence[int], y: int) -> int:
        """Return the mask of the rows that meet ``y``."""
        found = 0
        for index, row in enumerate(rows):
            if row & y:
                found |= 1 << index
        return found

    def step(self, inputs: Inputs) -> Outputs:
        """Return this cycle's outputs."""
        return {"r": self.scan(split(inputs.get("a", 0), *self._shape), inputs.get("y", 0))}
