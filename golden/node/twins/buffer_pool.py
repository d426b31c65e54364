"""Buffer pool: which system buffers are free."""

from __future__ import annotations

from cubecast.golden.common.twins.ports import Inputs, Outputs
from cubecast.golden.node.contract.config import NodeConfig
from cubecast.golden.node.twins.unit import Unit

__all__ = ["BufferPool"]

WRAP = 0xFFFFFFFF
"""Bits of a byte address."""


class BufferPool(Unit):
    """Twin of the buffer pool.

    Parameters
    ----------
    config : NodeConfig
        Number and size of the buffers.

    Source: Buzzard 1988, section 5.1.1 (pool of available system message buffers).
    """

    def __init__(self, config: NodeConfig) -> None:
        """Start in reset."""
        self.config = config
        self.reset()

    def reset(self) -> None:
        """Set all registers to their reset values: every buffer is in the pool, and none has been out of it."""
        self.fresh = 0
        self.queue: list[int] = []
        self.lent: set[int] = set()
        self.least = self.config.buffers
        self.state = "IDLE"
        self.rest = self.quotient = self.bit = 0

    @property
    def number(self) -> int | None:
        """The buffer that is taken next, None if there is none."""
        if self.fresh < self.config.buffers:
            return self.fresh
        return self.queue[0] if self.queue else None

    @property
    def resting(self) -> bool:
        """Whether an edge changes nothing but the time, as long as nothing comes in."""
        return self.state == "IDLE"

    def show(self, inputs: Inputs) -> Outputs:
        """Return this cycle's outputs."""
        get, config = inputs.get, self.config
        enable, base = get("enable", 0), get("base", 0)
        free = len(self.queue) + config.buffers - self.fresh if enable else 0
        number = self.number if free else None
        ready = self.state == "IDLE" and enable
        released = self.state == "CHECK" and not get("put")
        accepted = released and self.rest == 0 and self.quotient < config.buffers and self.quotient in self.lent
        return {
            "release__ready": int(ready),
            "free": free,
            "least": self.least,
            "number": number,
            "address": None if number is None else base + number * config.buffer_bytes & WRAP,
            "released": int(released),
            "accepted": int(accepted) if released else None,
        }

    def edge(self, inputs: Inputs, outputs: Outputs) -> None:
        """Take the edge of a cycle with these inputs and outputs."""
        get, config = inputs.get, self.config
        if get("rst"):
            self.reset()
            return
        if get("enable"):
            self.least = min(self.least, outputs["free"] or 0)
        if get("take") and outputs["free"]:
            if self.fresh < config.buffers:
                self.fresh += 1
            else:
                del self.queue[0]
        if get("put"):
            self.queue.append(get("put_number", 0))
        if get("lend"):
            self.lent.add(get("lend_number", 0))
        if outputs["release__ready"] and get("release__valid"):
            self.state, self.rest = "DIVIDE", get("release__address", 0) - get("base", 0) & WRAP
            self.quotient, self.bit = 0, config.buffer_bits - 1
        elif self.state == "DIVIDE":
            self._divide()
        elif outputs["released"]:
            self.state = "IDLE"
            if outputs["accepted"]:
                self.lent.remove(self.quotient)
                self.queue.append(self.quotient)

    def _divide(self) -> None:
        """Find one bit of the number of the buffer that is given back."""
        part = self.config.buffer_bytes << self.bit
        if self.rest >= part:
            self.rest -= part
            self.quotient |= 1 << self.bit
        if self.bit:
            self.bit -= 1
        else:
            self.state = "CHECK"
