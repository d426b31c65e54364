"""Messages of one node over one link, against the formula of Pollaczek and Khinchine."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from cubecast.study.checks.closed_forms import PACKETS, lindley, link_ticks, mean_wait, moments, zero_load
from cubecast.study.checks.closeness import equal_means
from cubecast.study.checks.machines import machine_of
from cubecast.study.model import Claim, Outcome, Parameters, Point, Study, Task
from cubecast.study.seeds import generator
from cubecast.study.statistics import Summary, summarise
from cubecast.study.transport.distribution import parse_distribution
from cubecast.study.transport.machine import TRANSPORTS
from cubecast.study.transport.simulation import simulate
from cubecast.study.transport.traffic import Messages, Traffic, draw
from cubecast.study.verdict import Measured, hold, mean

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["STUDIES", "CheckQueue", "queue_point"]

LENGTHS = {"constant": ("512", "28"), "exponential": ("exp(512)", "exp(56)")}
"""Bytes of a message by kind: of whole messages, and of those that go as packets, which are one or a few packets."""

QUEUES = {"constant": "M/D/1", "exponential": "M/M/1"}
"""What the queue is called then; with packets the time on the link is not quite exponential."""

SETTLED = 10
"""One in so many of the messages of a run is left out at its start, when the queue is shorter than later on."""


def queue_point(seed: int, transport: str, length: str, load: float, messages: int, runs: int) -> Outcome:
    """Return mean waits of runs, and how far a single message is from Lindley's recursion.

    Parameters
    ----------
    seed : int
        That of the command line.
    transport : str
        Which.
    length : str
        One of the kinds of :data:`LENGTHS`.
    load : float
        Share of the time that the link is to be busy.
    messages, runs : int
        Messages of a run, and runs.
    """
    machine = machine_of(transport)
    interval = _interval(transport, length, load)
    traffic = Traffic(1, messages, f"exp({interval})", _bytes(transport, length), "uni()")
    waits, worst = [], 0
    key = list(TRANSPORTS).index(transport), list(LENGTHS).index(length), round(100 * load)
    for run in range(runs):
        both = draw(generator(seed, "checks.queue", *key, run), traffic)
        mine = both.source == 0
        sent = Messages(1, both.time[mine], both.source[mine], both.destination[mine], both.length[mine])
        wait = simulate(machine, sent).last - zero_load(machine, sent.distance, sent.length)[1]
        ideal = lindley(sent.time, link_ticks(machine, sent.length))
        worst = max(worst, int(np.abs(wait - ideal).max()))
        waits.append(float(wait[messages // SETTLED :].mean()))
    return {"wait": summarise(waits).to_json(), "worst": worst}


def _bytes(transport: str, length: str) -> str:
    """Return the distribution of the bytes of a message."""
    return LENGTHS[length][transport in PACKETS]


def _moments(transport: str, length: str) -> tuple[float, float]:
    """Return mean and mean square of the ticks on the link."""
    return moments(machine_of(transport), parse_distribution("length", _bytes(transport, length)))


def _interval(transport: str, length: str, load: float) -> int:
    """Return the mean ticks between messages that load a link as wanted."""
    return round(_moments(transport, length)[0] / load)


def _closed(transport: str, length: str, load: float) -> float:
    """Return the mean wait of the closed form."""
    return mean_wait(*_moments(transport, length), _interval(transport, length, load))


class CheckQueue(Study):
    """Mean wait against load, for all transports with constant and exponential lengths."""

    name = "check-queue"
    title = "one link, waits against the closed form"
    source = "formula of Pollaczek and Khinchine"

    def parameters(self, quick: bool) -> Parameters:
        """Return transports, lengths, loads, messages and runs."""
        return {
            "transports": list(TRANSPORTS),
            "lengths": {kind: list(each) for kind, each in LENGTHS.items()},
            "loads": [0.3, 0.6] if quick else [0.1, 0.3, 0.5, 0.7],
            "messages": 1000 if quick else 10000,
            "runs": 3 if quick else 15,
            "quantity": "mean wait in mean times on the link",
            "left_out": "",
        }

    def tasks(self, parameters: Parameters) -> list[Task]:
        """Return a task for every point."""
        runs = parameters["runs"]
        return [
            Task(
                queue_point,
                {**which, "messages": parameters["messages"], "runs": self.runs_at(parameters, runs, _place(which))},
            )
            for which in self._places(parameters)
        ]

    def _places(self, parameters: Parameters) -> list[dict[str, Any]]:
        """Return transport, length and load of every point."""
        return [
            {"transport": transport, "length": length, "load": load}
            for length in parameters["lengths"]
            for transport in parameters["transports"]
            for load in parameters["loads"]
        ]

    def evaluate(self, parameters: Parameters, outcomes: Sequence[Outcome]) -> tuple[list[Point], list[Claim]]:
        """Return waits as multiples of the mean time on the link, and what they differ by from the closed form."""
        points, claims, worst = [], [], 0
        percent: dict[tuple[str, str], dict[str, Measured]] = {}
        for place, outcome in zip(self._places(parameters), outcomes, strict=True):
            transport, length, load = place["transport"], place["length"], place["load"]
            ticks = _moments(transport, length)[0]
            closed, wait = _closed(transport, length, load), Summary(**outcome["wait"])
            points.append(Point.of(f"{transport}, {length}", load, _scaled(wait, 1 / ticks)))
            exact = Summary(closed / ticks, 0.0, closed / ticks, closed / ticks, 1)
            points.append(Point.of(f"closed form of {transport}, {length}", load, exact))
            excess = mean(wait, _place(place)).linear(100 / closed, -100)
            percent.setdefault((transport, length), {})[f"{load:g}"] = excess
            worst = max(worst, outcome["worst"])
        every = "every message waits as long as Lindley's recursion says [largest difference in ticks, all transports]"
        claims.append(hold(every, "Lindley", Measured(worst), high=0))
        for length in parameters["lengths"]:
            for transport in parameters["transports"]:
                text = f"{transport}, {length} length ({QUEUES[length]}): mean waits are those of the closed form"
                claims.append(equal_means(text, self.source, percent[transport, length]))
        return points, claims

    def draw(self, axes: Axes, parameters: Parameters, points: Sequence[Point]) -> None:
        """Draw the closed forms as lines and the simulated waits as marks."""
        for length, colour in zip(parameters["lengths"], ("C0", "C1"), strict=True):
            for transport, mark in zip(parameters["transports"], "o^sxD+", strict=True):
                mine = [point for point in points if point.curve == f"{transport}, {length}"]
                label = transport if length == "constant" else None
                axes.plot(
                    [point.x for point in mine], [point.mean for point in mine], colour + mark, label=label, mfc="none"
                )
            mine = [point for point in points if point.curve == f"closed form of datagram, {length}"]
            axes.plot(
                [p.x for p in mine], [p.mean for p in mine], colour + "-", label=f"{length} length ({QUEUES[length]})"
            )
        axes.set_xlabel("load of the link")
        axes.set_ylabel("mean wait / mean time on the link")
        axes.set_xlim(left=0)
        axes.set_ylim(bottom=0)


def _place(which: Mapping[str, Any]) -> str:
    """Return the place of a point."""
    return f"{which['transport']}, {which['length']}, load {which['load']:g}"


def _scaled(summary: Summary, factor: float) -> Summary:
    """Return a summary times a positive factor."""
    mean, std, least, largest = (value * factor for value in (summary.mean, summary.std, summary.min, summary.max))
    return Summary(mean, std, least, largest, summary.runs)


STUDIES = (CheckQueue(),)
