"""Store: the relative addresses of a message's header."""

from __future__ import annotations

from cubecast.golden.common.twins.ports import Inputs, Outputs, bits, join
from cubecast.golden.multicast.contract.config import Config

__all__ = ["Store"]


class Store:
    """Twin of the store; a value written in one cycle is there in the next.

    ``rows`` are rows 1..m as last written, ``live`` the mask of those in the reference array, ``source`` is row 0.

    Parameters
    ----------
    config : Config
        Parameters of the router.

    Source: Lan 1988, section 6.5.2, figure 6.4; a row is reset by its live bit, so that its address stays
    readable, and can come back when its copy is dropped.
    """

    def __init__(self, config: Config) -> None:
        """Start in reset."""
        self.config = config
        self._dim = config.dim
        self.rows = [0] * config.max_dest
        self.live = 0
        self.source = 0

    def reset(self) -> None:
        """Set all registers to their reset values."""
        self.rows[:] = [0] * len(self.rows)
        self.live = 0
        self.source = 0

    def array(self) -> list[int]:
        """Return the reference array: the live rows, zeros for the others."""
        live = self.live
        return [row if live >> index & 1 else 0 for index, row in enumerate(self.rows)]

    def remaining(self) -> int:
        """Return the mask of the live rows that are not zero."""
        found = 0
        for index in bits(self.live):
            if self.rows[index]:
                found |= 1 << index
        return found

    def clear(self) -> None:
        """Take the edge with ``clear``."""
        self.live = 0

    def reset_rows(self, mask: int) -> None:
        """Take the edge with these ``reset_rows``."""
        self.live &= ~mask

    def restore_rows(self, mask: int) -> None:
        """Take the edge with these ``restore_rows``."""
        self.live |= mask

    def write(self, row: int, value: int) -> None:
        """Take the edge with ``write`` of row 0..m."""
        if row == 0:
            self.source = value
        else:
            self.rows[row - 1] = value
            self.live |= 1 << row - 1

    def step(self, inputs: Inputs) -> Outputs:
        """Return this cycle's outputs and take the edge."""
        outputs: Outputs = {
            "a": join(self.array(), self._dim),
            "rows": join(self.rows, self._dim),
            "source": self.source,
        }
        if inputs.get("rst"):
            self.reset()
            return outputs
        if inputs.get("clear"):
            self.clear()
        self.reset_rows(inputs.get("reset_rows", 0))
        self.restore_rows(inputs.get("restore_rows", 0))
        if inputs.get("write"):
            self.write(inputs.get("row", 0), inputs.get("value", 0))
        return outputs
