"""Word writer: words of packets into memory."""

from __future__ import annotations

from typing import NamedTuple

from cubecast.golden.common.twins.ports import Inputs, Outputs
from cubecast.golden.node.contract.config import NodeConfig
from cubecast.golden.node.twins.unit import Unit

__all__ = ["WordWriter", "Write"]

MOST = 32
"""Writes without an acknowledgement, at most."""


class Write(NamedTuple):
    """A write of a memory word."""

    address: int
    data: int
    strobe: int


class WordWriter(Unit):
    """Twin of the word writer.

    Parameters
    ----------
    config : NodeConfig
        Width of a word.

    Source: Buzzard 1988, section 5.4.5 (node input port; its words go to memory in pairs).
    """

    def __init__(self, config: NodeConfig) -> None:
        """Start in reset."""
        self.config = config
        self.reset()

    def reset(self) -> None:
        """Set all registers to their reset values."""
        self.at = self.left = self.low = self.waiting = 0
        self.low_valid = self.error = False
        self.write: Write | None = None

    def listens(self, inputs: Inputs) -> bool:
        """Return whether a word is taken when it is there."""
        return (self.write is None or bool(inputs.get("writer__ready"))) and self.waiting != MOST

    @property
    def resting(self) -> bool:
        """Whether an edge changes nothing but the time, as long as nothing comes in."""
        return self.write is None and not self.waiting

    def show(self, inputs: Inputs) -> Outputs:
        """Return this cycle's outputs."""
        return {
            "i__ready": int(self.listens(inputs)),
            "writer__valid": int(self.write is not None),
            **{f"writer__{name}": getattr(self.write, name, None) for name in Write._fields},
            "idle": int(self.write is None and not self.low_valid),
            "waiting": self.waiting,
            "error": int(self.error),
        }

    def edge(self, inputs: Inputs, outputs: Outputs) -> None:
        """Take the edge of a cycle with these inputs and outputs."""
        get, write = inputs.get, None
        if get("rst"):
            self.reset()
            return
        if outputs["i__ready"] and get("i__valid"):
            write = self._word(get("i__data", 0), bool(get("i__last")))
        if self.write is None or get("writer__ready"):
            self.write = write
        written = bool(get("written"))
        self.waiting += (write is not None) - written
        self.error |= written and bool(get("write_error"))
        if get("open"):
            self.at, self.left = get("open_address", 0), get("open_bytes", 0)
            self.low_valid = self.error = False

    def _word(self, data: int, last: bool) -> Write | None:
        """Take a word; return what is written now."""
        count = min(self.left, self.config.word_bytes)
        strobe, address, upper = (1 << count) - 1, self.at >> 2, self.at >> 1 & 1
        self.left -= count
        self.at = self.at + self.config.word_bytes & 0xFFFFFFFF
        if self.config.width == 32:
            return Write(address, data, strobe) if strobe else None
        if upper:
            strobe = strobe << 2 | (3 if self.low_valid else 0)
            self.low_valid = False
            return Write(address, data << 16 | self.low, strobe) if strobe else None
        if last or not self.left:
            return Write(address, data, strobe) if strobe else None
        self.low, self.low_valid = data, True
        return None
