"""Link pick: the words of one of the links."""

from __future__ import annotations

from cubecast.golden.common.twins.ports import Inputs, Outputs
from cubecast.golden.crosspoint.twins.flit import Reduced
from cubecast.golden.crosspoint.twins.link_pipe import Pipe
from cubecast.golden.reduction.contract.config import ReductionConfig
from cubecast.golden.reduction.twins.word import NO_WORD, word_input

__all__ = ["LinkPick"]


class LinkPick:
    """Twin of the link pick; a word, or None, comes out as it comes in, or, with a register, a cycle later.

    Parameters
    ----------
    config : ReductionConfig
        Says whether there is a register.
    """

    def __init__(self, config: ReductionConfig) -> None:
        """Start in reset."""
        self.config = config
        self.pipe: Pipe[tuple[int, Reduced]] = Pipe(int(config.reduce_register), (0, NO_WORD))

    def reset(self) -> None:
        """Set all registers to their reset values."""
        self.pipe.reset()

    @property
    def empty(self) -> bool:
        """Whether there is no word in a register."""
        return not any(push for push, _ in self.pipe.items)

    def out(self, word: Reduced | None) -> Reduced | None:
        """Return the word that comes out in a cycle in which ``word`` comes in."""
        push, found = self.pipe.out((int(word is not None), word or NO_WORD))
        return found if push else None

    def edge(self, word: Reduced | None) -> None:
        """Take the edge of that cycle."""
        self.pipe.edge((int(word is not None), word or NO_WORD))

    def step(self, inputs: Inputs) -> Outputs:
        """Return this cycle's outputs and take the edge; here the word counts without ``push`` too."""
        get = inputs.get
        place = get("select", 0).bit_length() - 1
        item = (0, NO_WORD)
        if place >= 0:
            item = get(f"link__{place}__push_r", 0), word_input(f"link__{place}", inputs)
        push, word = self.pipe.out(item)
        if get("rst"):
            self.reset()
        else:
            self.pipe.edge(item)
        return {"push": push, **word._asdict()}
