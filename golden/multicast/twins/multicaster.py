"""Multicaster: the next forwarding dimension of a destination list, and the destinations that go there."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from cubecast.golden.common.twins.ports import Inputs, Outputs, split
from cubecast.golden.multicast.contract.config import Config
from cubecast.golden.multicast.twins.address_scanner import AddressScanner
from cubecast.golden.multicast.twins.column_selector import ColumnSelector
from cubecast.golden.multicast.twins.decoder import Decoder
from cubecast.golden.multicast.twins.maximum_checker import MaximumChecker

__all__ = ["Choice", "Multicaster"]


class Choice(NamedTuple):
    """What the multicaster decides: the end, or a dimension (one-hot ``y``), its rows ``r`` and their number ``k``."""

    terminate: int
    y: int
    r: int
    k: int


DONE = Choice(1, 0, 0, 0)


class Multicaster:
    """Twin of the multicaster: decoders, maximum checker, column selector and address scanner; combinational.

    Of the fault-free columns of the reference array the one with the most ones is chosen, the lowest on a tie.
    With ``decision_latency`` = 2, ``counts`` and ``maximum`` are registers, and the dimension is chosen from them.

    Parameters
    ----------
    config : Config
        Parameters of the router.

    Source: Lan 1988, section 6.6, figure 6.6; MULTICAST.1 and MULTICAST.F1.
    """

    def __init__(self, config: Config) -> None:
        """Note the shape of the reference array."""
        self.config = config
        self._dim = config.dim
        self._rows = config.max_dest
        self.reset()

    def reset(self) -> None:
        """Set all registers to their reset values."""
        self.counts, self.maximum = [0] * self._dim, 0

    def choose(self, rows: Sequence[int], fault: int) -> Choice:
        """Return the choice for these rows (0: none there) and this fault vector, made in one cycle."""
        return self.select(rows, *self.count(rows, fault))

    def count(self, rows: Sequence[int], fault: int) -> tuple[list[int], int]:
        """Return the number of ones in each fault-free column (0 for the others), and their maximum, all one-hot."""
        columns = [0] * self._dim
        for index, row in enumerate(rows):
            while row:
                low = row & -row
                columns[low.bit_length() - 1] |= 1 << index
                row ^= low
        counts = [Decoder.count(column, fault >> j & 1) for j, column in enumerate(columns)]
        return counts, MaximumChecker.maximum(counts)

    @staticmethod
    def select(rows: Sequence[int], counts: Sequence[int], maximum: int) -> Choice:
        """Return the choice of a column that has the maximum, and the rows that have a one there."""
        if maximum & 1:
            return DONE
        y = ColumnSelector.select(counts, maximum)
        return Choice(0, y, AddressScanner.scan(rows, y), max(maximum.bit_length() - 1, 0))

    def step(self, inputs: Inputs) -> Outputs:
        """Return this cycle's outputs and take the edge."""
        rows, fault = split(inputs.get("a", 0), self._dim, self._rows), inputs.get("fault", 0)
        if self.config.decision_latency == 1:
            return dict(self.choose(rows, fault)._asdict())
        choice = self.select(rows, self.counts, self.maximum)
        if inputs.get("rst"):
            self.reset()
        else:
            self.counts, self.maximum = self.count(rows, fault)
        return dict(choice._asdict())
