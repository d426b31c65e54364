"""Words of a reduction as the twins pass them to each other, and as ports of one unit."""

from __future__ import annotations

from cubecast.golden.common.twins.ports import Inputs, Outputs
from cubecast.golden.crosspoint.twins.flit import Reduced

__all__ = ["NO_WORD", "word_input", "word_outputs"]


NO_WORD = Reduced()
"""What registers hold after reset."""


def word_input(prefix: str, inputs: Inputs) -> Reduced:
    """Return the word at ports of a unit."""
    return Reduced(*(inputs.get(f"{prefix}__{name}", 0) for name in Reduced._fields))


def word_outputs(prefix: str, word: Reduced | None) -> Outputs:
    """Return ports of a unit with a word; None: nothing is compared."""
    return {f"{prefix}__{name}": getattr(word, name, None) for name in Reduced._fields}
