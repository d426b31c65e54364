"""Deserializer: receives packets from a serial link (receiving section of the flow control unit)."""

from __future__ import annotations

from cubecast.golden.common.twins.ports import Inputs, Outputs
from cubecast.golden.packet.contract.config import PORT_BITS, PacketConfig

__all__ = ["Deserializer"]

IDLE, ZERO, BITS, SYNC = range(4)


class Deserializer:
    """Twin of the deserializer; a head or word is passed on in the cycle after its last bit.

    Parameters
    ----------
    config : PacketConfig
        Parameters of the router.

    Source: Buzzard 1988, sections 5.4 (preheader, figure 5.3) and 5.4.8 (flow control unit).
    """

    def __init__(self, config: PacketConfig) -> None:
        """Start in reset."""
        self.config = config
        self._verdict = 1 + PORT_BITS + config.length_bits
        self._length = (1 << config.length_bits) - 1
        self.reset()

    def reset(self) -> None:
        """Set all registers to their reset values."""
        self.state = IDLE
        self.data = 0
        self.bit = 0
        self.first = 0
        self.left = 0
        self.valid = 0
        self.head = 0
        self.cut_short = 0

    @property
    def arrival(self) -> tuple[int, int] | None:
        """What is passed on: whether it is a head, and its bits."""
        return (self.head, self.data) if self.valid else None

    @property
    def resting(self) -> bool:
        """Whether nothing comes in or is passed on, so that an edge with line 0 changes nothing."""
        return self.state == IDLE and not self.valid and not self.cut_short

    def _refuses(self, refusing: int) -> int:
        """Return whether the preheader of a contrary packet has come, which is refused."""
        return refusing and self.first and self.bit == self._verdict and self.data >> self._verdict - 1

    def hold(self, ready: int, refusing: int) -> int:
        """Return the hold line, given whether the packet buffer unit is ready, and refuses contrary packets."""
        state = self.state
        if state == IDLE:
            return 1 - ready
        return int(state == BITS and self._refuses(refusing))

    def edge(self, line: int, ready: int, refusing: int) -> None:
        """Take the edge of a cycle with this bit on the line."""
        state = self.state
        self.valid = self.cut_short = 0
        if state == BITS:
            if self._refuses(refusing):
                self.state = IDLE
                return
            self.data = self.data << 1 | line
            self.bit += 1
            if self.bit == (self.config.head_bits if self.first else self.config.width):
                self.valid = 1
                self.head = self.first
                self.left = self.data >> self.config.width & self._length if self.first else self.left - 1
                self.state = SYNC if self.left else IDLE
        elif state == IDLE:
            if line and ready:
                self.state = ZERO
                self.first = 1
        elif state == SYNC:
            if line:
                self.state = ZERO
                self.first = 0
            else:
                self.state = IDLE
                self.cut_short = 1
        elif line:
            self.state = IDLE
            self.cut_short = 1 - self.first
        else:
            self.state = BITS
            self.bit = 0
            self.data = 0

    def step(self, inputs: Inputs) -> Outputs:
        """Return this cycle's outputs and take the edge."""
        get = inputs.get
        ready, refusing = get("ready", 0), get("refusing", 0)
        outputs: Outputs = {
            "hold": self.hold(ready, refusing),
            "valid": self.valid,
            "head": self.head if self.valid else None,
            "data": self.data if self.valid else None,
            "cut_short": self.cut_short,
        }
        if get("rst"):
            self.reset()
        else:
            self.edge(get("line", 0), ready, refusing)
        return outputs
