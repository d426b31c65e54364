"""One run: random messages on one machine; and what runs of the same kind come to together."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import asdict, fields
from typing import Any

import numpy as np
import numpy.typing as npt

from cubecast.study.model import Outcome, Task
from cubecast.study.seeds import generator
from cubecast.study.statistics import Summary, summarise
from cubecast.study.transport.machine import Machine
from cubecast.study.transport.simulation import simulate
from cubecast.study.transport.traffic import Messages, Traffic, draw

__all__ = ["FloatArray", "Sample", "ideal_utilisation", "message_run", "run_tasks"]

FloatArray = npt.NDArray[np.float64]


def message_run(seed: int, traffic: Mapping[str, Any], machine: Mapping[str, Any], replication: int) -> Outcome:
    """Return how long messages take on one machine.

    The messages depend on seed, traffic and replication only: all machines get the same ones.

    Parameters
    ----------
    seed : int
        That of the command line.
    traffic, machine : mapping
        Arguments of :class:`.Traffic` and :class:`.Machine`; those of the machine that are not the defaults.
    replication : int
        Which of the independent runs.

    Returns
    -------
    dict
        ``first`` and ``last``: ticks until the first packet and the last byte of a message have arrived, each a
        summary over the messages. ``ideal``: see :func:`ideal_utilisation`. ``under_way``: messages generated and
        not yet arrived, mean over the time. ``buffered``: most bytes stored in one node. ``longest``: bytes of the
        longest message.
    """
    spec, built = Traffic(**traffic), Machine(**machine)
    family = f"messages {spec.dim} {spec.messages} {spec.every} {spec.length} {spec.destination}"
    messages = draw(generator(seed, family, replication), spec)
    record = simulate(built, messages)
    return {
        "first": summarise(record.first).to_json(),
        "last": summarise(record.last).to_json(),
        "ideal": ideal_utilisation(messages, built.byte),
        "under_way": float(record.last.sum()) / record.end,
        "buffered": int(record.most_buffered),
        "longest": int(messages.length.max()),
    }


def ideal_utilisation(messages: Messages, byte: int) -> float:
    """Return the share of all link time until the last message is generated that the messages need.

    As in Buzzard 1988, section 5.7; each direction of a link counts as a link, so there are n 2^n.

    Parameters
    ----------
    messages : Messages
        Whose lengths are times the hops they make.
    byte : int
        Ticks per byte.
    """
    hops = np.bitwise_count(messages.source ^ messages.destination).astype(np.int64)
    links = messages.dim << messages.dim
    return byte * int((hops * messages.length).sum()) / (links * int(messages.time.max()))


def run_tasks(traffic: Traffic, machine: Machine, replications: int) -> list[Task]:
    """Return the tasks of independent runs; figures that show the same have the same tasks."""
    values = {field: getattr(machine, field.name) for field in fields(machine)}
    special = {field.name: value for field, value in values.items() if value != field.default}
    arguments = {"traffic": asdict(traffic), "machine": special}
    return [Task(message_run, {**arguments, "replication": number}) for number in range(replications)]


class Sample:
    """Independent runs of the same traffic on the same machine.

    Parameters
    ----------
    outcomes : sequence of dict
        Those of :func:`message_run`, one for each replication.
    place : str
        Where the study can have more of them.
    """

    def __init__(self, outcomes: Sequence[Outcome], place: str = "") -> None:
        self._outcomes = list(outcomes)
        self.place = place

    def values(self, name: str) -> FloatArray:
        """Return a value of each run, such as ``buffered``."""
        return np.array([outcome[name] for outcome in self._outcomes], dtype=np.float64)

    def means(self, which: str = "last") -> FloatArray:
        """Return the mean time of each run."""
        return np.array([outcome[which]["mean"] for outcome in self._outcomes], dtype=np.float64)

    def maxima(self, which: str = "last") -> FloatArray:
        """Return the longest time of each run."""
        return np.array([outcome[which]["max"] for outcome in self._outcomes], dtype=np.float64)

    def pooled(self, which: str = "last") -> Summary:
        """Return the summary of the messages of all runs, which have the same number of them."""
        parts = [Summary(**outcome[which]) for outcome in self._outcomes]
        means = summarise([part.mean for part in parts])
        inside = math.fsum(part.std**2 for part in parts) / len(parts)
        return Summary(
            mean=means.mean,
            std=math.sqrt(inside + means.std**2),
            min=min(part.min for part in parts),
            max=max(part.max for part in parts),
            runs=sum(part.runs for part in parts),
        )
