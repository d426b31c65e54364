"""Units that sleep: what makes composite twins fast, so that the units themselves need not be."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from typing import Generic, Protocol, TypeVar

__all__ = ["Sleeper", "Sleepers"]


class Sleeper(Protocol):
    """A unit that can say whether it has come to rest."""

    @property
    def resting(self) -> bool:
        """Whether an edge changes nothing, now and from now on, as long as nothing comes to the unit."""


Unit = TypeVar("Unit", bound=Sleeper)


class Sleepers(Generic[Unit]):
    """Units side by side, of which one that rests takes no edge until something comes to it.

    What a unit puts out depends on its registers and, while it does not rest, on its surroundings. So a unit that has
    not taken an edge puts out what it did in the cycle before, and nobody has to ask it.

    Parameters
    ----------
    units : sequence
        The units, known by their place.
    """

    def __init__(self, units: Sequence[Unit]) -> None:
        """Start with what the units say of themselves."""
        self.units = units
        self.reset()

    def reset(self) -> None:
        """Ask all units anew, after an edge that all of them have taken."""
        self.stirred: Collection[int] = range(len(self.units))
        self.settle()

    def due(self, called: Iterable[int]) -> Collection[int]:
        """Return who takes the edge, those awake and those ``called``; kept as ``stirred``."""
        self.stirred = self.awake.union(called)
        return self.stirred

    def settle(self) -> None:
        """Find who is awake after the edge."""
        units = self.units
        self.awake = {place for place in self.stirred if not units[place].resting}
