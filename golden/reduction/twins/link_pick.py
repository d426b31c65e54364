"""Link pick: the words of one of the links."""

from __future__ import annotations

from cubecast.golden.common.twins.ports import Inputs, Outputs
from cubecast.golden.reduction.contract.config import ReductionConfig
from cubecast.golden.reduction.twins.word import NO_WORD, word_input

__all__ = ["LinkPick"]


class LinkPick:
    """Twin of the link pick, which has no registers.

    Parameters
    ----------
    config : ReductionConfig
        Parameters of the node.
    """

    def __init__(self, config: ReductionConfig) -> None:
        """Keep the parameters."""
        self.config = config

    def step(self, inputs: Inputs) -> Outputs:
        """Return this cycle's outputs; the word counts without ``push`` too."""
        place = inputs.get("select", 0).bit_length() - 1
        if place < 0:
            return {"push": 0, **NO_WORD._asdict()}
        return {"push": inputs.get(f"link__{place}__push_r", 0), **word_input(f"link__{place}", inputs)._asdict()}
