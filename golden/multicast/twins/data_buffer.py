"""Data buffer: room for one message of maximum length."""

from __future__ import annotations

from cubecast.golden.common.twins.ports import Inputs, Outputs, Word
from cubecast.golden.multicast.contract.config import Config

__all__ = ["DataBuffer"]


class DataBuffer:
    """Twin of the data buffer; a word pushed in one cycle can be read in the next.

    ``words`` are the words since ``clear``; their number is ``level``. With ``memories`` = block the read addresses of
    a cycle, ``_addresses``, are those given in the cycle before.

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
        given = "ahead" if config.reads_ahead else "pointer"
        self._given = [f"{given}__{j}" for j in range(config.streamers)]
        self._ports = [(f"word__{j}__data", f"word__{j}__last", f"word__{j}__error") for j in range(config.streamers)]
        self._addresses = [0] * config.streamers
        self.words: list[Word] = []

    def reset(self) -> None:
        """Empty the buffer, and let all ports read its first word."""
        self.words.clear()
        self._addresses = [0] * len(self._addresses)

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
        given = [inputs.get(name, 0) for name in self._given]
        addresses = given
        if self.config.reads_ahead:
            addresses, self._addresses = self._addresses, given
        for address, (data, last, error) in zip(addresses, self._ports, strict=True):
            outputs[data], outputs[last], outputs[error] = self.word(address) or (None, None, None)
        if inputs.get("clear"):
            self.clear()
        elif inputs.get("push"):
            self.push(inputs.get("data", 0), inputs.get("last", 0), inputs.get("error", 0))
        if inputs.get("rst"):
            self.reset()
        return outputs
