"""Buffer RAM: the words of the packets in a packet buffer unit or a buffer slot."""

from __future__ import annotations

from cubecast.golden.common.twins.ports import Inputs, Outputs
from cubecast.golden.packet.contract.config import PacketConfig

__all__ = ["BufferRam"]


class BufferRam:
    """Twin of the buffer RAM; a word read in a cycle is in the register ``data`` in the next. Nothing is reset.

    A read gives the word as it was before a write in the same cycle.

    Parameters
    ----------
    config : PacketConfig
        Parameters of the router.
    count : int
        Number of rows.

    Source: Buzzard 1988, section 5.4.1.
    """

    def __init__(self, config: PacketConfig, count: int) -> None:
        """Start with all words 0."""
        self.config = config
        self.count = count
        self._shift = config.word_bits
        self.words = [0] * (count << self._shift)
        self.data = 0

    def edge(self, write: tuple[int, int, int] | None, read: tuple[int, int] | None) -> None:
        """Take the edge of a cycle that writes a value to row, word, and reads row, word."""
        if read is not None:
            self.data = self.words[read[0] << self._shift | read[1]]
        if write is not None:
            self.words[write[0] << self._shift | write[1]] = write[2]

    def step(self, inputs: Inputs) -> Outputs:
        """Return this cycle's outputs and take the edge."""
        get, data = inputs.get, self.data
        write = (get("write_row", 0), get("write_word", 0), get("write_data", 0)) if get("write") else None
        read = (get("read_row", 0), get("read_word", 0)) if get("read") else None
        self.edge(write, read)
        return {"data": data}
