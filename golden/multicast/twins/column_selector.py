"""Column selector (CLMS): the lowest column that has the largest number of ones."""

from __future__ import annotations

from collections.abc import Sequence

from cubecast.golden.common.twins.ports import Inputs, Outputs, split
from cubecast.golden.multicast.contract.config import Config

__all__ = ["ColumnSelector"]


class ColumnSelector:
    """Twin of the column selector; combinational.

    Parameters
    ----------
    config : Config
        Parameters of the router.

    Source: Lan 1988, section 6.6.3, figure 6.9, with the complement that the printed equation lacks (L5).
    """

    def __init__(self, config: Config) -> None:
        """Note the shape of the inputs."""
        self.config = config
        self._shape = (config.max_dest + 1, config.dim)

    @staticmethod
    def select(counts: Sequence[int], s: int) -> int:
        """Return, one-hot, the first column whose count meets ``s``; 0 if none does."""
        for column, count in enumerate(counts):
            if count & s:
                return 1 << column
        return 0

    def step(self, inputs: Inputs) -> Outputs:
        """Return this cycle's outputs."""
        return {"y": self.select(split(inputs.get("counts", 0), *self._shape), inputs.get("s", 0))}
