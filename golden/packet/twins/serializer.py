"""Serializer: sends packets over a serial link (sending section of the flow control unit)."""

from __future__ import annotations

from cubecast.golden.common.twins.ports import Inputs, Outputs
from cubecast.golden.packet.contract.config import PORT_BITS, PacketConfig
from cubecast.golden.packet.twins.flit import Flit, flit_input

__all__ = ["Serializer"]

IDLE, ONE, ZERO, BITS = range(4)


class Serializer:
    """Twin of the serializer; the 1 of a head's start pattern is on the line in the cycle after the head was taken.

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
        self.reset()

    def reset(self) -> None:
        """Set all registers to their reset values."""
        self.state = IDLE
        self.data = 0
        self.bit = 0
        self.final = 0
        self.head = 0
        self.contrary = 0
        self.left = 0
        self.rested = 0

    def ready(self, head: int) -> int:
        """Return whether a flit is taken in this cycle, given whether it is a head."""
        state = self.state
        return int(state == IDLE or (state == BITS and self.left > 0 and self.bit == self.final and not head))

    @property
    def line(self) -> int:
        """The bit on the line."""
        state = self.state
        return self.data >> self.final - self.bit & 1 if state == BITS else int(state == ONE)

    @property
    def resting(self) -> bool:
        """Whether the line rests, and did so in the cycle before; an edge without a flit changes nothing."""
        return bool(self.rested and self.state == IDLE)

    def refused(self, hold: int) -> int:
        """Return whether the receiver refuses the contrary packet whose head is being sent."""
        return int(hold and self.state == BITS and self.head and self.contrary and self.bit == self._verdict)

    def edge(self, flit: Flit | None, hold: int) -> None:
        """Take the edge of a cycle in which this flit is offered; it is taken if the serializer is ready."""
        state = self.state
        self.rested = int(state == IDLE)
        if state == IDLE:
            if flit is not None and flit.head:
                self._load(flit, 1)
        elif state == ONE:
            if not hold:
                self.state = ZERO
        elif state == ZERO:
            self.state = BITS
            self.bit = 0
        elif self.refused(hold):
            self.state = IDLE
        elif self.bit < self.final:
            self.bit += 1
        elif self.left and flit is not None and not flit.head and not flit.bad:
            self._load(flit, 0)
        else:
            self.state = IDLE

    def _load(self, flit: Flit, head: int) -> None:
        """Take a head or a word; it is sent from the next cycle on."""
        config = self.config
        self.state = ONE
        self.data = flit.data
        self.head = head
        self.final = (config.head_bits if head else config.width) - 1
        if head:
            self.contrary = flit.data >> config.head_bits - 1
            self.left = flit.data >> config.width & (1 << config.length_bits) - 1
        else:
            self.left -= 1

    def step(self, inputs: Inputs) -> Outputs:
        """Return this cycle's outputs and take the edge."""
        hold = inputs.get("hold", 0)
        outputs: Outputs = {"line": self.line, "idle": int(self.resting), "refused": self.refused(hold)}
        outputs["i__ready"] = self.ready(inputs.get("i__head", 0))
        if inputs.get("rst"):
            self.reset()
        else:
            self.edge(flit_input("i", inputs), hold)
        return outputs
