"""What a study is: points to compute, curves made from them, claims of the text held against the curves, a plot."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from cubecast.study.statistics import Interval, Summary

if TYPE_CHECKING:
    # Workers load this module too, and draw nothing.
    from matplotlib.axes import Axes

__all__ = ["HOLDS", "OPEN", "Claim", "Outcome", "Parameters", "Point", "Study", "StudyError", "StudyFailure", "Task"]

HOLDS = "holds"
"""The verdict on a claim that the measurement bears out."""

OPEN = "open"
"""The verdict on a claim that the runs do not decide."""

Parameters = dict[str, Any]
"""What a study was run with, ready for JSON; ``doubled``, if there, says how often the runs of a place were doubled."""

Outcome = dict[str, Any]
"""What the function of a task returns, ready for JSON."""


class StudyError(Exception):
    """A study cannot run: the text is one line that says what is wrong and what is wanted."""


class StudyFailure(StudyError):
    """Workers or the machine failed while a study ran; what was done until then is kept."""


@dataclass(frozen=True)
class Task:
    """One unit of work, which any process can do: ``function(seed, **arguments)``.

    Parameters
    ----------
    function : callable
        A function of a module. Its answer depends on its arguments only.
    arguments : mapping
        Plain values, ready for JSON.
    revision : int
        Counted up when the function's answers change, so that points kept from before are not taken for new ones.
    """

    function: Callable[..., Outcome]
    arguments: Mapping[str, Any]
    revision: int = 1

    @property
    def name(self) -> str:
        """Which function of which revision it is, as the restart file calls it."""
        return f"{self.function.__module__}.{self.function.__qualname__}/{self.revision}"


@dataclass(frozen=True)
class Point:
    """One point of one curve.

    Parameters
    ----------
    curve : str
        Name of the curve.
    x : float
        Place on the x-axis.
    mean, std, min, max : float
        Of the runs; ``std`` is the root of the mean squared deviation, as in Lan 1988, section 5.4.2.
    runs : int
        How many runs there were; 1 for a value that is computed, not sampled.
    """

    curve: str
    x: float
    mean: float
    std: float
    min: float
    max: float
    runs: int

    @classmethod
    def of(cls, curve: str, x: float, summary: Summary) -> Point:
        """Return the point of a summary."""
        return cls(curve, x, summary.mean, summary.std, summary.min, summary.max, summary.runs)


@dataclass(frozen=True)
class Claim:
    """One claim of a text, held against the measurement.

    Parameters
    ----------
    claim : str
        What the text says, and in brackets what was measured.
    source : str
        Where it says so.
    measured : float
        What was measured.
    interval : tuple of two floats, or None
        Its 95 % confidence interval; None for a value that is computed, not sampled.
    verdict : str
        :data:`HOLDS`, what it differs by, or :data:`OPEN`.
    places : tuple of str
        Of an open claim, the places of the study where more runs help to decide it; none means all.
    """

    claim: str
    source: str
    measured: float
    interval: Interval | None
    verdict: str
    places: tuple[str, ...] = ()


class Study(ABC):
    """One figure or table.

    Parameters
    ----------
    name : str
        What the command line calls it.
    title : str
        One line.
    source : str
        The figure or table it stands for.
    doublings : int
        How often, at most, the runs of a place are doubled while a claim is open.
    """

    name: str
    title: str
    source: str
    doublings = 2

    @abstractmethod
    def parameters(self, quick: bool) -> Parameters:
        """Return what the study is run with; ``quick``: fewer points and runs, done in a few seconds."""

    @abstractmethod
    def tasks(self, parameters: Parameters) -> list[Task]:
        """Return what has to be computed."""

    @abstractmethod
    def evaluate(self, parameters: Parameters, outcomes: Sequence[Outcome]) -> tuple[list[Point], list[Claim]]:
        """Return curves and claims, from the outcomes of the tasks in their order."""

    def runs_at(self, parameters: Parameters, runs: int, place: str = "") -> int:
        """Return how many runs a place of the study has, which begins with ``runs``; a place is named by the study."""
        doubled: dict[str, int] = parameters.get("doubled", {})
        return runs << doubled.get(place, 0)

    def extended(self, parameters: Parameters, claims: Sequence[Claim]) -> Parameters | None:
        """Return parameters with twice the runs wherever a claim is open; None if that is nowhere, or was enough."""
        doubled: dict[str, int] = parameters.get("doubled", {})
        places = {place for claim in claims if claim.verdict == OPEN for place in claim.places or ("",)}
        again = {place: doubled.get(place, 0) + 1 for place in places if doubled.get(place, 0) < self.doublings}
        return {**parameters, "doubled": dict(sorted((doubled | again).items()))} if again else None

    @abstractmethod
    def draw(self, axes: Axes, parameters: Parameters, points: Sequence[Point]) -> None:
        """Draw the curves and name the axes; the legend is made from the labels."""
