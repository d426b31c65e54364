"""Figures 4.6 to 4.27 of Buzzard 1988: message times of twelve machines under one traffic each."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from cubecast.study.buzzard.machines import MACHINES, slow_circuits
from cubecast.study.buzzard.message_claims import figures_beside, message_claims
from cubecast.study.buzzard.message_figures import FIGURES
from cubecast.study.buzzard.message_run import Sample, run_tasks
from cubecast.study.model import Claim, Outcome, Parameters, Point, Study, Task
from cubecast.study.transport.machine import Machine

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["STUDIES", "MessageTimes", "SlowCircuits", "draw_bars"]

MESSAGES = 100
"""Per node; the source does not say how many."""

REPLICATIONS = 10


class MessageTimes(Study):
    """Least, mean, mean plus one standard deviation and longest message times of the machines of figure 4.5.

    Parameters
    ----------
    figure : str
        Its number, from :data:`.message_figures.FIGURES`.
    machines : mapping
        By the names of figure 4.5.
    """

    def __init__(self, figure: str, machines: Mapping[str, Machine] = MACHINES) -> None:
        self.figure = figure
        self.machines = machines
        self.name = f"buzzard-{figure}"
        self.title = FIGURES[figure].caption
        self.source = f"Buzzard 1988, figure {figure}"

    def parameters(self, quick: bool) -> Parameters:
        """Return traffic, machines, messages and replications, and the figures that claims compare this one with."""
        shown = FIGURES[self.figure]
        messages, replications = (8, 2) if quick else (MESSAGES, REPLICATIONS)
        return {
            "dim": shown.traffic(messages).dim,
            "every": shown.every,
            "length": shown.length,
            "destination": shown.destination,
            "messages per node": messages,
            "replications": replications,
            "machines": list(self.machines),
            "ticks per link of a circuit": self.machines["CSFU"].setup,
            "compared with": figures_beside(self.figure),
            "quantity": "ticks from generation to arrival of the last byte",
            "left_out": "",
        }

    def tasks(self, parameters: Parameters) -> list[Task]:
        """Return a task for each figure needed, each machine and each replication."""
        return [
            task
            for number in (self.figure, *parameters["compared with"])
            for machine in self.machines.values()
            for task in run_tasks(
                FIGURES[number].traffic(parameters["messages per node"]),
                machine,
                self.runs_at(parameters, parameters["replications"]),
            )
        ]

    def evaluate(self, parameters: Parameters, outcomes: Sequence[Outcome]) -> tuple[list[Point], list[Claim]]:
        """Return a curve of one point for each machine, and the claims about the figure."""
        numbers = (self.figure, *parameters["compared with"])
        size = self.runs_at(parameters, parameters["replications"])
        parts = iter(Sample(outcomes[start : start + size]) for start in range(0, len(outcomes), size))
        measured = {number: {name: next(parts) for name in self.machines} for number in numbers}
        points = [
            Point.of(name, place, sample.pooled()) for place, (name, sample) in enumerate(measured[self.figure].items())
        ]
        return points, message_claims(self.figure, measured)

    def draw(self, axes: Axes, parameters: Parameters, points: Sequence[Point]) -> None:
        """Draw a bar for each machine."""
        draw_bars(axes, points)
        axes.set_xlabel("machine")
        axes.set_ylabel("message time in ticks")


class SlowCircuits(MessageTimes):
    """The same with circuits that need 40 ticks for each link: what the text says of small messages is true of them."""

    def __init__(self, figure: str) -> None:
        super().__init__(figure, slow_circuits())
        self.name = f"buzzard-{figure}-setup-40"
        self.title = f"{FIGURES[figure].caption}; circuits: 40 ticks per link"
        self.source = f"beyond Buzzard 1988, figure {figure}"


def draw_bars(axes: Axes, points: Sequence[Point]) -> None:
    """Draw each point as a bar of the mean, with the deviation on top, and marks at the least and the most."""
    places = [point.x for point in points]
    means = [point.mean for point in points]
    axes.bar(places, means, 0.7, color="C0", label="mean")
    axes.bar(places, [point.std for point in points], 0.7, means, color="C0", alpha=0.4, label="+ standard deviation")
    axes.vlines(places, [point.min for point in points], [point.max for point in points], color="0.3", linewidth=1)
    axes.plot(places, [point.max for point in points], "k_", markersize=10, label="maximum")
    axes.plot(places, [point.min for point in points], "C3_", markersize=10, label="minimum")
    axes.set_xticks(
        places, [point.curve for point in points], rotation=45, horizontalalignment="right", rotation_mode="anchor"
    )
    # so that marks at the least times stand clear of the axis
    axes.set_ylim(bottom=-axes.get_ylim()[1] / 40)


STUDIES = (
    *(MessageTimes(figure) for figure in FIGURES),
    *(SlowCircuits(figure) for figure in ("4.6", "4.13", "4.14", "4.21", "4.22", "4.23")),
)
