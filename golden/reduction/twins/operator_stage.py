"""Operator stage: words on their way through an operator of the node, and those that it has made."""

from __future__ import annotations

from typing import NamedTuple

from cubecast.golden.common.twins.ports import Inputs, Outputs
from cubecast.golden.crosspoint.twins.flit import Reduced
from cubecast.golden.crosspoint.twins.queue import Queue
from cubecast.golden.reduction.contract.config import ReductionConfig
from cubecast.golden.reduction.twins.word import word_input, word_outputs

__all__ = ["OperatorStage"]


class Under(NamedTuple):
    """A word that is under way, and whether the operator makes its data."""

    word: Reduced
    both: bool


class OperatorStage:
    """Twin of the operator stage; a cycle is :meth:`edge`.

    Parameters
    ----------
    config : ReductionConfig
        Gives the operator's latency.
    """

    def __init__(self, config: ReductionConfig) -> None:
        """Start in reset."""
        self.config = config
        self.queue: Queue[Reduced] = Queue(config.stage_shape)
        self.reset()

    def reset(self) -> None:
        """Set all registers to their reset values."""
        self.under_way: list[Under | None] = [None] * self.config.operator_latency
        self.queue.reset()

    @property
    def empty(self) -> bool:
        """Whether no word is inside."""
        return not (self.queue.ne or any(self.under_way))

    @property
    def room(self) -> bool:
        """Whether a word may go in."""
        return self.queue.level + sum(each is not None for each in self.under_way) < self.config.stage_shape.depth

    @property
    def word(self) -> Reduced | None:
        """The word that can leave if the unit runs."""
        return self.queue.words[0] if self.queue.words else None

    def edge(self, running: bool, word: Reduced | None, both: bool, made: int, taken: bool) -> None:
        """Take the edge of a cycle.

        Parameters
        ----------
        running : bool
            Whether the unit runs.
        word : Reduced, optional
            What goes in.
        both : bool
            Whether the operator makes its data.
        made : int
            What the operator gives.
        taken : bool
            The word that can leave does.
        """
        *_, last = self.under_way
        pushed = None
        if running and last is not None:
            pushed = last.word._replace(data=made) if last.both else last.word
        self.queue.edge(pushed, taken if running else self.queue.ne)
        entered = Under(word, both) if running and word is not None else None
        self.under_way = [entered, *(self.under_way[:-1] if running else [None] * (len(self.under_way) - 1))]

    def step(self, inputs: Inputs) -> Outputs:
        """Return this cycle's outputs and take the edge."""
        get = inputs.get
        running, shown = bool(get("running")), self.word if get("running") else None
        outputs: Outputs = {"room": int(self.room), "empty": int(self.empty), "o__valid": int(shown is not None)}
        outputs |= word_outputs("o", shown)
        if get("rst"):
            self.reset()
            return outputs
        word = word_input("i", inputs) if get("go") else None
        self.edge(running, word, bool(get("both")), get("y", 0), bool(get("o__taken")))
        return outputs
