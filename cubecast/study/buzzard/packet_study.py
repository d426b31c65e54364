"""What figures 5.12 to 5.15 of Buzzard 1988 have in common: times of first packet and last byte against the load."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Mapping, Sequence
from itertools import islice
from typing import TYPE_CHECKING, ClassVar

from cubecast.study.buzzard.message_run import Sample, run_tasks
from cubecast.study.buzzard.packet_claims import Loads
from cubecast.study.buzzard.packet_loads import every, load_traffic
from cubecast.study.model import Claim, Outcome, Parameters, Point, Study, Task
from cubecast.study.statistics import summarise
from cubecast.study.transport.machine import Machine

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["PacketStudy"]

MESSAGES = 40
"""Per node; the source does not say how many."""

REPLICATIONS = 5


class PacketStudy(Study):
    """Mean times against ideal link utilisation.

    Attributes
    ----------
    length : int
        Mean bytes of a message.
    machines : mapping
        What is compared, by name.
    beside : tuple of int
        Mean lengths of further messages that claims need.
    variance : bool
        Whether the variance of the intervals is half of their mean, not the deviation.
    delivery : str
        How the packets of all machines get into their node, as in :class:`.Machine`.
    """

    length: int
    machines: ClassVar[Mapping[str, Machine]]
    beside: tuple[int, ...] = ()
    variance = False
    delivery = "units"
    doublings = 1

    @abstractmethod
    def claims(self, loads: Loads, beside: Sequence[Loads]) -> list[Claim]:
        """Return the claims of the text; ``beside`` belongs to the lengths of the attribute."""

    def parameters(self, quick: bool) -> Parameters:
        """Return lengths, intervals, machines, messages and replications."""
        messages, replications = (2, 2) if quick else (MESSAGES, REPLICATIONS)
        return {
            "dim": 6,
            "length": self.length,
            "every": list(every(self.length)),
            "half of the mean": "variance" if self.variance else "standard deviation",
            "messages per node": messages,
            "replications": replications,
            "machines": list(self.machines),
            "delivery": self.delivery,
            "compared with": list(self.beside),
            "quantity": "ticks from generation to arrival of the first packet and of the last byte",
            "left_out": "",
        }

    def tasks(self, parameters: Parameters) -> list[Task]:
        """Return a task for each length, machine, load and replication."""
        return [
            task
            for length in (self.length, *self.beside)
            for machine in self.machines.values()
            for interval in every(length)
            for task in run_tasks(
                load_traffic(length, interval, parameters["messages per node"], variance=self.variance),
                machine,
                self._runs(parameters, length, interval),
            )
        ]

    def _runs(self, parameters: Parameters, length: int, interval: int) -> int:
        """Return how many runs every machine has at a load."""
        return self.runs_at(parameters, parameters["replications"], _place(length, interval))

    def evaluate(self, parameters: Parameters, outcomes: Sequence[Outcome]) -> tuple[list[Point], list[Claim]]:
        """Return two curves for each machine, and the claims."""
        left = iter(outcomes)
        loads, *beside = (
            {
                name: [
                    Sample(list(islice(left, self._runs(parameters, length, interval))), _place(length, interval))
                    for interval in every(length)
                ]
                for name in self.machines
            }
            for length in (self.length, *self.beside)
        )
        points = [
            Point.of(f"{which} {name}", summarise(sample.values("ideal")).mean, sample.pooled(which))
            for which in ("first", "last")
            for name in self.machines
            for sample in loads[name]
        ]
        return points, self.claims(loads, beside)

    def draw(self, axes: Axes, parameters: Parameters, points: Sequence[Point]) -> None:
        """Draw mean times against utilisation, on a logarithmic scale in place of two parts with two scales."""
        for which, style in (("first", "--"), ("last", "-")):
            for number, name in enumerate(self.machines):
                mine = [point for point in points if point.curve == f"{which} {name}"]
                axes.plot(
                    [point.x for point in mine],
                    [point.mean for point in mine],
                    f"C{number}{style}",
                    marker="os^"[number],
                    markersize=3,
                    label=f"{which} {name}",
                )
        axes.set_yscale("log")
        axes.set_xlim(left=0)
        axes.set_xlabel("ideal link utilisation")
        axes.set_ylabel("mean message time in ticks")


def _place(length: int, interval: int) -> str:
    """Return the place of a load."""
    return f"{length} bytes every {interval} ticks"
