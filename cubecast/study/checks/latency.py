"""Latency of single messages against distance: no load, no waiting."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from cubecast.study.checks.closed_forms import zero_load
from cubecast.study.checks.machines import machine_of
from cubecast.study.model import Claim, Outcome, Parameters, Point, Study, Task
from cubecast.study.transport.machine import TRANSPORTS
from cubecast.study.transport.simulation import simulate
from cubecast.study.transport.traffic import Messages
from cubecast.study.verdict import Measured, hold

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["STUDIES", "CheckLatency", "latency_point"]


def latency_point(seed: int, transport: str, dim: int, length: int) -> Outcome:
    """Return first and last latency by distance, simulated and on paper, of a message to every other node.

    The messages are of different nodes, and each is sent when the one before has arrived.

    Parameters
    ----------
    seed : int
        Not used: there is nothing random.
    transport : str
        Which.
    dim : int
        Dimension of the cube.
    length : int
        Bytes of each message.
    """
    del seed
    machine = machine_of(transport)
    relative = np.arange(1, 1 << dim)
    source = relative[::-1].copy()
    lengths = np.full_like(relative, length)
    far = np.full_like(relative, dim)
    gap = int(zero_load(machine, far, lengths)[1][0]) + 1
    messages = Messages(dim, (relative - 1) * gap, source, source ^ relative, lengths)
    record = simulate(machine, messages)
    ideal = zero_load(machine, messages.distance, lengths)
    by_distance: Outcome = {"first": [], "last": [], "closed first": [], "closed last": []}
    for distance in range(1, dim + 1):
        mine = messages.distance == distance
        by_distance["first"].append(float(record.first[mine].mean()))
        by_distance["last"].append(float(record.last[mine].mean()))
        by_distance["closed first"].append(float(ideal[0][mine].mean()))
        by_distance["closed last"].append(float(ideal[1][mine].mean()))
    by_distance["worst"] = [
        int(np.abs(mine - paper).max()) for mine, paper in zip((record.first, record.last), ideal, strict=True)
    ]
    return by_distance


class CheckLatency(Study):
    """Latency without load against distance, for all transports."""

    name = "check-latency"
    title = "latency without load"
    source = "sums of the basic times"

    def parameters(self, quick: bool) -> Parameters:
        """Return transports, dimension and lengths."""
        return {
            "transports": list(TRANSPORTS),
            "dim": 6,
            "lengths": [512] if quick else [1, 28, 29, 512, 2048],
            "drawn": 512,
            "quantity": "latency in ticks",
            "left_out": "",
        }

    def tasks(self, parameters: Parameters) -> list[Task]:
        """Return a task for every transport and length."""
        return [
            Task(latency_point, {"transport": transport, "dim": parameters["dim"], "length": length})
            for transport in parameters["transports"]
            for length in parameters["lengths"]
        ]

    def evaluate(self, parameters: Parameters, outcomes: Sequence[Outcome]) -> tuple[list[Point], list[Claim]]:
        """Return latencies by distance, and the largest difference of each transport."""
        points, claims = [], []
        tasks = iter(zip(self.tasks(parameters), outcomes, strict=True))
        for transport in parameters["transports"]:
            worst = 0
            for _ in parameters["lengths"]:
                task, outcome = next(tasks)
                length = task.arguments["length"]
                worst = max(worst, *outcome["worst"])
                for part in ("first", "last", "closed first", "closed last"):
                    for distance, value in enumerate(outcome[part], start=1):
                        curve = f"{transport}, {length} bytes, {part}"
                        points.append(Point(curve, distance, value, 0.0, value, value, 1))
            text = (
                f"{transport}: {_FORMULAS[transport]} [largest difference in ticks over all nodes, lengths, first and "
                "last]"
            )
            claims.append(hold(text, "sum of the basic times", Measured(worst), high=0))
        return points, claims

    def draw(self, axes: Axes, parameters: Parameters, points: Sequence[Point]) -> None:
        """Draw the sums as lines and what is simulated as marks."""
        for number, (transport, mark) in enumerate(zip(parameters["transports"], "os+^Dx", strict=True)):
            for part, style, label in (("closed last", f"C{number}-", None), ("last", f"C{number}{mark}", transport)):
                curve = f"{transport}, {parameters['drawn']} bytes, {part}"
                mine = [point for point in points if point.curve == curve]
                axes.plot([p.x for p in mine], [p.mean for p in mine], style, label=label, mfc="none")
        axes.set_xlabel("distance")
        axes.set_ylabel(f"ticks until the last of {parameters['drawn']} bytes")
        axes.set_ylim(bottom=0)


_FORMULAS = {
    "datagram": "d hops of a message of L bytes take d (L + 1) + 40 (d - 1) ticks",
    "cut-through": "d hops of a message of L bytes take L + d ticks",
    "circuit": "d hops of a message of L bytes take L + d ticks",
    "wormhole": "d hops of a message of L bytes take 2 L + 4 d ticks",
    "fixed-packet": "d hops of a message of L bytes in k packets take 2 (L + 4 k) + 4 (d + 1) ticks",
    "quasi-adaptive": "d hops of a message of L bytes in k packets take 2 (L + 4 k) + 4 (d + 1) ticks",
}

STUDIES = (CheckLatency(),)
