"""Run end: whether the first run of a word that is written into a queue ends with the next hop, and a second begins."""

from __future__ import annotations

from cubecast.golden.common.twins.ports import Inputs, Outputs
from cubecast.golden.crosspoint.contract.units import Crosspoint

__all__ = ["RunEnd"]


class RunEnd:
    """Twin of the run end of queue (i, j), i > j or i = n, or, with i = j = n, of the injection port; combinational.

    Parameters
    ----------
    config : Crosspoint
        The router, and the place of the queue.
    """

    def __init__(self, config: Crosspoint) -> None:
        """Note what the place fixes."""
        router, j = config.router, config.output
        self.config = config
        self._below = (1 << j) - 1
        self._bit = 0 if j == router.dim else 1 << j
        self._second = (1 << router.dim) - 1 if router.runs == 2 else 0
        self._kinds = -1 if router.multicast else 0

    def find(self, r1: int, r2: int, kind: int) -> tuple[int, int]:
        """Return over and turns for a word with these fields."""
        if r1 & self._below:
            return 0, 0
        return 1, int(not kind & self._kinds and bool(r2 & self._second & ~(self._bit & ~r1)))

    def step(self, inputs: Inputs) -> Outputs:
        """Return this cycle's outputs."""
        return dict(
            zip(("over", "turns"), self.find(*(inputs.get(name, 0) for name in ("r1", "r2", "kind"))), strict=True)
        )
