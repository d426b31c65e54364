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

    def choose(self, rows: Sequence[int], fault: int) -> Choice:
        """Return the choice for these rows (0: none there) and this fault vector."""
        columns = [0] * self._dim
        for index, row in enumerate(rows):
            while row:
                low = row & -row
                columns[low.bit_length() - 1] |= 1 << index
                row ^= low
        counts = [Decoder.count(column, fault >> j & 1) for j, column in enumerate(columns)]
        s = MaximumChecker.maximum(counts)
        if s & 1:
            return DONE
        y = ColumnSelector.select(counts, s)
        r = AddressScanner.scan(rows, y)
        return Choice(0, y, r, r.bit_count())

    def step(self, inputs: Inputs) -> Outputs:
        """Return this clock's outputs."""
        rows = split(inputs.get("a", 0), self._dim, self._rows)
        return dict(self.choose(rows, inputs.get("fault", 0))._asdict())
