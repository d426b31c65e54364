"""Link pipe: the registers on a link, one way."""

from __future__ import annotations

from collections import deque
from typing import Generic, TypeVar

__all__ = ["Pipe"]

Item = TypeVar("Item")


class Pipe(Generic[Item]):
    """A row of registers; without any it is wires.

    Parameters
    ----------
    length : int
        Registers.
    idle : Item
        What they hold after reset.
    """

    def __init__(self, length: int, idle: Item) -> None:
        """Start in reset."""
        self.idle = idle
        self.items: deque[Item] = deque([idle] * length)

    def reset(self) -> None:
        """Set all registers to their reset values."""
        self.items = deque([self.idle] * len(self.items))

    def unlike(self, item: Item) -> bool:
        """Return whether some register holds anything else."""
        return any(held != item for held in self.items)

    def out(self, item: Item) -> Item:
        """Return what comes out in a cycle in which ``item`` goes in."""
        return self.items[0] if self.items else item

    def edge(self, item: Item) -> None:
        """Take the edge of a cycle in which ``item`` goes in."""
        if self.items:
            self.items.popleft()
            self.items.append(item)
