"""Queue of a crosspoint, in LUT RAM: a word pushed in a cycle can leave in the next."""

from __future__ import annotations

from collections import deque
from typing import Generic, TypeVar

from cubecast.golden.common.twins.ports import Inputs, Outputs
from cubecast.golden.crosspoint.contract.units import QueueShape

__all__ = ["Queue"]

Item = TypeVar("Item")


class Queue(Generic[Item]):
    """Twin of the queue; its outputs are functions of registers.

    ``words`` are those that can be read, oldest first. What a word is, its user says: bits for the unit alone, fields
    in a router. A cycle is :meth:`edge`.

    Parameters
    ----------
    config : QueueShape
        Width, depth, and the greatest count with room.
    """

    def __init__(self, config: QueueShape) -> None:
        """Start in reset."""
        self.config = config
        self.most = config.most
        self.words: deque[Item] = deque()

    def reset(self) -> None:
        """Set all registers to their reset values."""
        self.words.clear()

    @property
    def ne(self) -> bool:
        """Whether there is a word to be read."""
        return bool(self.words)

    @property
    def level(self) -> int:
        """Words inside."""
        return len(self.words)

    @property
    def room(self) -> bool:
        """Whether a packet of the greatest length still fits, besides the words on their way."""
        return len(self.words) <= self.most

    @property
    def resting(self) -> bool:
        """Whether a cycle without push and pop changes nothing."""
        return True

    def edge(self, word: Item | None, pop: bool) -> None:
        """Take the edge of a cycle in which ``word``, if any, is pushed."""
        if pop:
            self.words.popleft()
        if word is not None:
            self.words.append(word)

    def step(self: Queue[int], inputs: Inputs) -> Outputs:
        """Return this cycle's outputs and take the edge."""
        get = inputs.get
        outputs: Outputs = {
            "o": self.words[0] if self.words else None,
            "ne": int(self.ne),
            "room": int(self.room),
            "level": self.level,
        }
        if get("rst"):
            self.reset()
        else:
            self.edge(get("data", 0) if get("push") else None, bool(get("pop")))
        return outputs
