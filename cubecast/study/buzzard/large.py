"""Beyond Buzzard 1988: machines of 1024 nodes, under some of the traffic of the 6-cube."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from cubecast.study.buzzard.comparisons import (
    claim_at_least,
    claim_at_most,
    least,
    link_pairs,
    overall,
    ratios,
    transport_pairs,
)
from cubecast.study.buzzard.machines import MACHINES, PACKET_TRANSPORTS, packet_machine
from cubecast.study.buzzard.message_run import Sample, run_tasks
from cubecast.study.buzzard.message_times import draw_bars
from cubecast.study.buzzard.packet_loads import SHORT, every, load_traffic
from cubecast.study.model import Claim, Outcome, Parameters, Point, Study, Task
from cubecast.study.transport.traffic import Traffic

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["STUDIES", "LargeCube"]

DIM = 10

SOURCE = "beyond Buzzard 1988"

MUCH = 1.2
"""What "significant" is taken for."""

PACKET_INTERVAL = every(SHORT)[3]
"""Ticks between two messages of a node: the fourth of the nine loads of figure 5.12."""


class LargeCube(Study):
    """The traffic of figure 4.16 and the fourth load of figure 5.12 in a 10-cube."""

    name = "buzzard-large"
    title = f"{1 << DIM} nodes, len = exp(512), dest = uni()"
    source = "beyond Buzzard 1988, figures 4.16 and 5.12"

    def parameters(self, quick: bool) -> Parameters:
        """Return traffic, machines, messages and replications."""
        messages, replications = (1, 2) if quick else (10, 3)
        return {
            "dim": DIM,
            "every": "exp(1536)",
            "packets every": load_traffic(SHORT, PACKET_INTERVAL, 1, DIM).every,
            "length": "exp(512)",
            "destination": "uni()",
            "messages per node": messages,
            "replications": replications,
            "machines": [*MACHINES, *PACKET_TRANSPORTS],
            "quantity": "ticks from generation to arrival of the last byte",
            "left_out": "",
        }

    def _replications(self, parameters: Parameters) -> int:
        """Return how many runs each machine has."""
        return self.runs_at(parameters, parameters["replications"])

    def tasks(self, parameters: Parameters) -> list[Task]:
        """Return a task for each machine and replication."""
        messages, replications = parameters["messages per node"], self._replications(parameters)
        traffic = Traffic(
            dim=DIM,
            messages=messages,
            every=parameters["every"],
            length=parameters["length"],
            destination=parameters["destination"],
        )
        packets = load_traffic(SHORT, PACKET_INTERVAL, messages, DIM)
        return [
            *(task for machine in MACHINES.values() for task in run_tasks(traffic, machine, replications)),
            *(task for name in PACKET_TRANSPORTS for task in run_tasks(packets, packet_machine(name), replications)),
        ]

    def evaluate(self, parameters: Parameters, outcomes: Sequence[Outcome]) -> tuple[list[Point], list[Claim]]:
        """Return a curve of one point for each machine, and whether what the text says of the 6-cube is true here."""
        size = self._replications(parameters)
        starts = range(0, len(outcomes), size)
        samples = {
            name: Sample(outcomes[start : start + size])
            for name, start in zip(parameters["machines"], starts, strict=True)
        }
        points = [Point.of(name, place, sample.pooled()) for place, (name, sample) in enumerate(samples.items())]
        name, values = least(ratios(samples, transport_pairs("DT", "DC")))
        packets = samples["quasi-adaptive"].means("first") / samples["wormhole"].means("first")
        return points, [
            claim_at_least(
                f"the advantages of cut-through are significant [least DT/DC, {name}; {MUCH:g} taken as significant]",
                SOURCE,
                values,
                MUCH,
            ),
            claim_at_least(
                f"bidirectional links gain much [mean U/B; {MUCH:g} taken as much]",
                SOURCE,
                overall(ratios(samples, link_pairs())),
                MUCH,
            ),
            claim_at_most(
                "first packets of quasi-adaptive routing take less than half as long as wormholes [ratio of times]",
                SOURCE,
                packets,
                0.5,
            ),
        ]

    def draw(self, axes: Axes, parameters: Parameters, points: Sequence[Point]) -> None:
        """Draw a bar for each machine."""
        draw_bars(axes, points)
        axes.set_xlabel("machine")
        axes.set_ylabel("message time in ticks")


STUDIES = (LargeCube(),)
