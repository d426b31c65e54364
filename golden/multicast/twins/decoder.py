"""Decoder (DECR): how many ones a column of the reference array has, as a one-hot vector."""

from __future__ import annotations

from cubecast.golden.common.twins.ports import Inputs, Outputs
from cubecast.golden.multicast.contract.config import Config

__all__ = ["Decoder"]


class Decoder:
    """Twin of the decoder of one column; combinational.

    A faulty column counts as empty, with ``count`` bit 0 set, so that the multicaster always comes to its end (L15).

    Parameters
    ----------
    config : Config
        Parameters of the router.

    Source: Lan 1988, section 6.6.1, figures 6.7 and 7.9.
    """

    def __init__(self, config: Config) -> None:
        """Keep the parameters; the rule does not depend on them."""
        self.config = config

    @staticmethod
    def count(column: int, faulty: int) -> int:
        """Return the one-hot count of the ones of ``column``."""
        return 1 if faulty else 1 << column.bit_count()

    def step(self, inputs: Inputs) -> Outputs:
        """Return this cycle's outputs."""
        return {"count": self.count(inputs.get("column", 0), inputs.get("faulty", 0))}
