"""UART sender: the bits of a byte, one after the other."""

from __future__ import annotations

from cubecast.golden.board.contract.config import BoardConfig
from cubecast.golden.common.twins.ports import Inputs, Outputs

__all__ = ["UartSender"]


class UartSender:
    """Twin of the sender; ``waits`` are the cycles that are left of the byte on the wire.

    Parameters
    ----------
    config : BoardConfig
        Parameters of the board.
    """

    def __init__(self, config: BoardConfig) -> None:
        """Start in reset."""
        self.config = config
        self.reset()

    def reset(self) -> None:
        """Send nothing."""
        self.byte = 0
        self.waits = 0

    @property
    def ready(self) -> bool:
        """Whether a byte is taken."""
        return not self.waits

    @property
    def tx(self) -> int:
        """The wire in this cycle."""
        if not self.waits:
            return 1
        bit = 9 - (self.waits - 1) // self.config.bit_cycles
        return 0 if bit == 0 else 1 if bit == 9 else self.byte >> bit - 1 & 1

    def edge(self, byte: int | None) -> None:
        """Take the edge of a cycle in which this byte is offered."""
        if self.waits:
            self.waits -= 1
        elif byte is not None:
            self.byte, self.waits = byte, 10 * self.config.bit_cycles

    def step(self, inputs: Inputs) -> Outputs:
        """Return this cycle's outputs and take the edge."""
        outputs: Outputs = {"tx": self.tx, "i__ready": int(self.ready)}
        self.edge(inputs.get("i__data", 0) if inputs.get("i__valid") else None)
        if inputs.get("rst"):
            self.reset()
        return outputs
