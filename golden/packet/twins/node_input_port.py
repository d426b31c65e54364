"""Node input port: FIFO of the words that the node takes."""

from __future__ import annotations

from collections import deque

from cubecast.golden.common.twins.ports import Inputs, Outputs, Word
from cubecast.golden.packet.contract.config import PacketConfig
from cubecast.golden.packet.twins.flit import Flit, flit_input

__all__ = ["NodeInputPort"]


class NodeInputPort:
    """Twin of the node input port; a word can be taken in the cycle after it came in.

    Parameters
    ----------
    config : PacketConfig
        Parameters of the router.

    Source: Buzzard 1988, section 5.4.5, figure 5.8.
    """

    def __init__(self, config: PacketConfig) -> None:
        """Start in reset."""
        self.config = config
        self._mask = (1 << config.width) - 1
        # Level up to which a whole packet has room.
        self._most = config.fifo_depth - config.max_words - 3
        self.words: deque[Word] = deque()

    def reset(self) -> None:
        """Drop all words."""
        self.words.clear()

    @property
    def open(self) -> int:
        """Whether there is room for a whole packet."""
        return int(len(self.words) <= self._most)

    def edge(self, flit: Flit | None, taken: int) -> None:
        """Take the edge of a cycle in which this flit comes in; ``taken``: the node takes the word offered."""
        if taken:
            self.words.popleft()
        if flit is not None:
            self.words.append((0, 1, 1) if flit.bad else (flit.data & self._mask, flit.last, 0))

    def step(self, inputs: Inputs) -> Outputs:
        """Return this cycle's outputs and take the edge."""
        word = self.words[0] if self.words else None
        outputs: Outputs = {"i__ready": 1, "open": self.open, "eject__valid": int(word is not None)}
        outputs["eject__data"], outputs["eject__last"], outputs["eject__error"] = word or (None, None, None)
        self.edge(flit_input("i", inputs), word is not None and inputs.get("eject__ready", 0))
        if inputs.get("rst"):
            self.reset()
        return outputs
