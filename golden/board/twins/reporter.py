"""Reporter: the line as a text, of which one character after the other goes out."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from cubecast.golden.board.contract.config import BoardConfig
from cubecast.golden.board.contract.line import DIGITS, FIELDS, MARK, TEMPLATE, VALUE_BITS
from cubecast.golden.common.twins.ports import Inputs, Outputs

__all__ = ["Reporter"]


class Reporter:
    """Twin of the reporter; ``byte`` is what is offered in this cycle, None without one.

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
        """Write nothing."""
        self.busy = False
        self.byte: int | None = None
        self._reads = ""
        self._line: Iterator[int] = iter(())
        self._number: Iterator[int | None] = iter(())

    def _advance(self) -> None:
        """Go on to the next cycle of the line: a byte, one in which a number is read or made, or its end."""
        self._reads = ""
        for found in self._number:
            self.byte = found
            return
        for code in self._line:
            marked = code >= MARK
            self._reads = FIELDS[code - MARK] if marked else ""
            self.byte = None if marked else code
            return
        self.reset()

    def edge(self, tick: int, numbers: Mapping[str, int], ready: int) -> None:
        """Take the edge of a cycle."""
        if not self.busy:
            if tick:
                self.busy, self._line = True, iter(TEMPLATE)
                self._advance()
        elif self.byte is None or ready:
            if self._reads:
                text = str(numbers[self._reads]).encode()
                self._number = iter((*[None] * (VALUE_BITS + DIGITS - len(text)), *text))
            self._advance()

    def step(self, inputs: Inputs) -> Outputs:
        """Return this cycle's outputs and take the edge."""
        outputs: Outputs = {"o__valid": int(self.byte is not None), "o__data": self.byte or 0}
        get = inputs.get
        self.edge(get("tick", 0), {name: get(name, 0) for name in FIELDS}, get("o__ready", 0))
        if get("rst"):
            self.reset()
        return outputs
