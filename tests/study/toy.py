"""A study that is done at once, and counts how often its points are computed."""

from __future__ import annotations

import os
from pathlib import Path

from cubecast.study.model import Point, Study, Task
from cubecast.study.seeds import generator
from cubecast.study.statistics import summarise
from cubecast.study.verdict import Measured, hold, mean

__all__ = ["Toy", "toy_point"]

LOG = "CUBECAST_TOY_LOG"
"""Variable of the environment that names a file which gets a line per point computed."""


def toy_point(seed, place, runs):
    """Return random numbers of a point."""
    if LOG in os.environ:
        with Path(os.environ[LOG]).open("a") as file:
            file.write(f"{place}\n")
    if place < 0:
        raise ArithmeticError("a point that fails")
    return {"values": [float(generator(seed, "toy", place, run).random()) for run in range(runs)]}


class Toy(Study):
    """Means of random numbers."""

    name = "toy"
    title = "random numbers"
    source = "none"

    def __init__(self, places=(1, 2, 3, 4), near=0.25):
        self.places = places
        self.near = near

    def parameters(self, quick):
        """Return places and runs."""
        return {"places": list(self.places), "runs": 3 if quick else 30, "left_out": "place 0"}

    def tasks(self, parameters):
        """Return a task per place."""
        runs = parameters["runs"]
        return [
            Task(toy_point, {"place": place, "runs": self.runs_at(parameters, runs, str(place))})
            for place in parameters["places"]
        ]

    def evaluate(self, parameters, outcomes):
        """Return the means, and a claim about the first."""
        summaries = [summarise(outcome["values"]) for outcome in outcomes]
        points = [Point.of("mean", place, each) for place, each in zip(self.places, summaries, strict=True)]
        first = summaries[0]
        return points, [
            hold("near a half", "nobody", mean(first, str(self.places[0])), low=0.5 - self.near, high=0.5 + self.near),
            hold("there are places", "nobody", Measured(len(points)), low=1),
        ]

    def draw(self, axes, parameters, points):
        """Draw the means."""
        axes.plot([point.x for point in points], [point.mean for point in points], label="mean")
