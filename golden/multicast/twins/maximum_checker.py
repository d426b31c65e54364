"""Maximum checker (MAXC): the largest number of ones that any column has."""

from __future__ import annotations

from collections.abc import Sequence

from cubecast.golden.common.twins.ports import Inputs, Outputs, split
from cubecast.golden.multicast.contract.config import Config

__all__ = ["MaximumChecker"]


class MaximumChecker:
    """Twin of the maximum checker; combinational.

    Parameters
    ----------
    config : Config
        Parameters of the router.

    Source: Lan 1988, section 6.6.2, figure 6.8, with the index range of the equation corrected (L4).
    """

    def __init__(self, config: Config) -> None:
        """Note the shape of the inputs."""
        self.config = config
        self._shape = (config.max_dest + 1, config.dim)

    @staticmethod
    def maximum(counts: Sequence[int]) -> int:
        """Return, one-hot, the largest index set in any of the counts; 0 if there is none."""
        return 1 << max(counts).bit_length() >> 1

    def step(self, inputs: Inputs) -> Outputs:
        """Return this cycle's outputs."""
        return {"s": self.maximum(split(inputs.get("counts", 0), *self._shape))}
