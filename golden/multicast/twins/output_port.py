"""Output port: the destinations of a copy, one after the other, as actual addresses."""

from __future__ import annotations

from collections.abc import Sequence

from cubecast.golden.common.twins.ports import Inputs, Outputs, split
from cubecast.golden.multicast.contract.config import Config

__all__ = ["OutputPort"]


class OutputPort:
    """Twin of the output port; combinational.

    Parameters
    ----------
    config : Config
        Parameters of the router.

    Source: Lan 1988, section 6.5.5.
    """

    def __init__(self, config: Config) -> None:
        """Note the shape of the rows."""
        self.config = config
        self._shape = (config.dim, config.max_dest)

    @staticmethod
    def destination(rows: Sequence[int], pending: int, address: int) -> int:
        """Return the address in the lowest pending row."""
        return address ^ rows[(pending & -pending).bit_length() - 1] if pending else address

    @staticmethod
    def remaining(pending: int) -> int:
        """Return the pending rows without the lowest one."""
        return pending & pending - 1 if pending else 0

    @staticmethod
    def one_left(pending: int) -> bool:
        """Return whether exactly one row is pending."""
        return pending.bit_count() == 1

    def step(self, inputs: Inputs) -> Outputs:
        """Return this cycle's outputs."""
        rows = split(inputs.get("rows", 0), *self._shape)
        pending = inputs.get("pending", 0)
        return {
            "destination": self.destination(rows, pending, inputs.get("address", 0)),
            "remaining": self.remaining(pending),
            "one_left": int(self.one_left(pending)),
        }
