"""Queue of a crosspoint, in block RAM: a word pushed in a cycle can leave two cycles later."""

from __future__ import annotations

from typing import TypeVar

from cubecast.golden.crosspoint.contract.units import QueueShape
from cubecast.golden.crosspoint.twins.queue import Queue

__all__ = ["BlockQueue"]

Item = TypeVar("Item")


class BlockQueue(Queue[Item]):
    """Twin of the queue in block RAM: ``late`` is the word that was pushed in the cycle before.

    Parameters
    ----------
    config : QueueShape
        Width, depth, and the greatest count with room.
    """

    def __init__(self, config: QueueShape) -> None:
        """Start in reset."""
        super().__init__(config)
        self.late: Item | None = None

    def reset(self) -> None:
        """Set all registers to their reset values."""
        super().reset()
        self.late = None

    @property
    def level(self) -> int:
        """Words inside, the late one too."""
        return len(self.words) + (self.late is not None)

    @property
    def resting(self) -> bool:
        """Whether a cycle without push and pop changes nothing."""
        return self.late is None

    def edge(self, word: Item | None, pop: bool) -> None:
        """Take the edge of a cycle in which ``word``, if any, is pushed."""
        super().edge(self.late, pop)
        self.late = word
