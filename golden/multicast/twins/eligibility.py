"""Eligibility: which dimensions the rows of the reference array vote for, under the policy ``ordered``."""

from __future__ import annotations

from collections.abc import Sequence

from cubecast.golden.common.twins.ports import Inputs, Outputs, join, split
from cubecast.golden.multicast.contract.config import Config

__all__ = ["Eligibility"]


class Eligibility:
    """Twin of the eligibility unit; combinational.

    A row votes for the 1 -> 0 hops it needs, as long as it can make one, else for every hop it needs and can make.
    So every path first clears and then sets address bits, which is an order of the links that has no cycle.

    Parameters
    ----------
    config : Config
        Parameters of the router.
    """

    def __init__(self, config: Config) -> None:
        """Note the shape of the reference array."""
        self.config = config
        self._dim = config.dim
        self._rows = config.max_dest

    @staticmethod
    def votes(rows: Sequence[int], address: int, fault: int) -> list[int]:
        """Return the dimensions each row votes for at the node of this address."""
        free, clearing = ~fault, address & ~fault
        return [row & clearing or row & free for row in rows]

    def step(self, inputs: Inputs) -> Outputs:
        """Return this cycle's outputs."""
        rows = split(inputs.get("a", 0), self._dim, self._rows)
        return {"votes": join(self.votes(rows, inputs.get("address", 0), inputs.get("fault", 0)), self._dim)}
