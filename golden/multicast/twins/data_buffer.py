"""Data buffer: room for one message of maximum length."""

from __future__ import annotations

from cubecast.golden.common.twins.ports import Inputs, Outputs, Word
from cubecast.golden.multicast.contract.config import Config

__all__ = ["DataBuffer"]


class DataBuffer:
    """Twin of the data buffer; a word pushed in one cycle can be read in the next.

    ``words`` are the words since ``clear``; their number is ``level``.

    Parameters
    ----------
    config : Config
        Parameters of the router.

    Source: Lan 1988, section 6.4.2.
    """

    def __init__(self, config: Config) -> None:
        """Start in reset."""
        self.config = config
        self._depth = config.buffer_depth
        self._ports = [
            (f"pointer__{j}", f"word__{j}__data", f"word__{j}__last", f"word__{j}__error") for j in range(config.ports)
        ]
        self.words: list[Word] = []

    def reset(self) -> None:
        """Empty the buffer."""
        self.words.clear()

    def clear(self) -> None:
        """Take the edge with ``clear``."""
        self.words.clear()

    def push(self, data: int, last: int, error: int) -> None:
        """Take the edge with ``push``; a full buffer takes nothing."""
        if len(self.words) < self._depth:
            self.words.append((data, last, error))

    def word(self, pointer: int) -> Word | None:
        """Return the word at ``pointer``, None if there is none yet."""
        return self.words[pointer] if pointer < len(self.words) else None

    def step(self, inputs: Inputs) -> Outputs:
        """Return this cycle's outputs and take the edge."""
        outputs: Outputs = {"level": len(self.words)}
        for pointer, data, last, error in self._ports:
            word = self.word(inputs.get(pointer, 0))
            outputs[data], outputs[last], outputs[error] = word or (None, None, None)
        if inputs.get("rst"):
            self.reset()
        elif inputs.get("clear"):
            self.clear()
        elif inputs.get("push"):
            self.push(inputs.get("data", 0), inputs.get("last", 0), inputs.get("error", 0))
        return outputs
