"""Words of a reduction as the twins pass them to each other, and as ports of one unit."""

from __future__ import annotations

from typing import NamedTuple

from cubecast.golden.common.twins.ports import Inputs, Outputs

__all__ = ["NO_WORD", "Word", "word_input", "word_outputs"]


class Word(NamedTuple):
    """A word that is reduced, or a result, at the head of a queue or on its way."""

    data: int = 0
    rop: int = 0
    last: int = 0
    error: int = 0


NO_WORD = Word()
"""What registers hold after reset."""


def word_input(prefix: str, inputs: Inputs) -> Word:
    """Return the word at ports of a unit."""
    return Word(*(inputs.get(f"{prefix}__{name}", 0) for name in Word._fields))


def word_outputs(prefix: str, word: Word | None) -> Outputs:
    """Return ports of a unit with a word; None: nothing is compared."""
    return {f"{prefix}__{name}": getattr(word, name, None) for name in Word._fields}
