"""Beyond figures 5.14 and 5.15 of Buzzard 1988: how many packet buffers, and how long packets."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Mapping, Sequence
from itertools import islice
from typing import TYPE_CHECKING, ClassVar

import numpy as np

from cubecast.study.buzzard.comparisons import claim_at_least, claim_at_most, claim_within, measured
from cubecast.study.buzzard.machines import packet_machine
from cubecast.study.buzzard.message_run import FloatArray, Sample, run_tasks
from cubecast.study.buzzard.packet_loads import SHORT, every, load_traffic
from cubecast.study.model import Claim, Outcome, Parameters, Point, Study, Task
from cubecast.study.verdict import Measured

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["STUDIES", "BufferStudy", "NumberOfBuffers", "SizeOfPackets"]

DIM = 6

SECTION = "Buzzard 1988, section 5.7"

NEAR = 1.1
"""Factor up to which a time is taken as hardly longer than the best."""

LOADS = {"heaviest load": every(SHORT)[0], "fourth load": every(SHORT)[3]}
"""Ticks between two messages of a node: two of the nine loads of figure 5.12."""


class BufferStudy(Study):
    """Times of quasi-adaptive packets against one of their parameters, at two loads.

    Attributes
    ----------
    across : tuple of int
        Values of the parameter.
    axis : str
        What it is called.
    """

    across: ClassVar[tuple[int, ...]]
    axis: ClassVar[str]
    doublings = 1

    @abstractmethod
    def task_list(self, interval: int, value: int, messages: int, replications: int) -> list[Task]:
        """Return the tasks of one point."""

    @abstractmethod
    def claims(self, samples: Mapping[str, Mapping[int, Sample]]) -> list[Claim]:
        """Return the claims of the text, from the samples by load and value."""

    def parameters(self, quick: bool) -> Parameters:
        """Return values, messages and replications."""
        messages, replications = (2, 2) if quick else (40, 5)
        return {
            "dim": DIM,
            "length": SHORT,
            "every": list(LOADS.values()),
            self.axis: list(self.across),
            "messages per node": messages,
            "replications": replications,
            "quantity": "ticks from generation to arrival of the first packet and of the last byte",
            "left_out": "",
        }

    def tasks(self, parameters: Parameters) -> list[Task]:
        """Return a task for each load, value and replication."""
        return [
            task
            for load, interval in LOADS.items()
            for value in self.across
            for task in self.task_list(
                interval,
                value,
                parameters["messages per node"],
                self.runs_at(parameters, parameters["replications"], load),
            )
        ]

    def evaluate(self, parameters: Parameters, outcomes: Sequence[Outcome]) -> tuple[list[Point], list[Claim]]:
        """Return two curves for each load, and the claims."""
        left = iter(outcomes)
        samples = {
            load: {
                value: Sample(list(islice(left, self.runs_at(parameters, parameters["replications"], load))), load)
                for value in self.across
            }
            for load in LOADS
        }
        points = [
            Point.of(f"{which}, {load}", value, sample.pooled(which))
            for which in ("first", "last")
            for load in LOADS
            for value, sample in samples[load].items()
        ]
        return points, self.claims(samples)

    def draw(self, axes: Axes, parameters: Parameters, points: Sequence[Point]) -> None:
        """Draw mean times against the parameter, both on logarithmic scales."""
        from matplotlib.ticker import LogFormatter, NullLocator

        for number, load in enumerate(LOADS):
            for which, style in (("first", "--"), ("last", "-")):
                curve = f"{which}, {load}"
                mine = [point for point in points if point.curve == curve]
                axes.plot([p.x for p in mine], [p.mean for p in mine], f"C{number}o{style}", markersize=3, label=curve)
        axes.set_xscale("log", base=2)
        axes.set_yscale("log")
        axes.set_xticks(self.across, [str(value) for value in self.across])
        axes.xaxis.set_minor_locator(NullLocator())
        # A decade or less has one label of its own.
        for label in (axes.yaxis.set_major_formatter, axes.yaxis.set_minor_formatter):
            label(LogFormatter(labelOnlyBase=False, minor_thresholds=(2, 0.5)))
        axes.set_xlabel(self.axis)
        axes.set_ylabel("mean message time in ticks")


class NumberOfBuffers(BufferStudy):
    """Packet buffers of a packet buffer unit."""

    name = "buzzard-buffers"
    title = "number of packet buffers, 512 bytes"
    source = "Buzzard 1988, section 5.7"
    across = (2, 3, 4, 6, 9, 13, 18, 26)
    axis = "packet buffers of a unit"

    def task_list(self, interval: int, value: int, messages: int, replications: int) -> list[Task]:
        """Return the tasks of one number of buffers."""
        machine = packet_machine("quasi-adaptive", packets=value)
        return run_tasks(load_traffic(SHORT, interval, messages), machine, replications)

    def claims(self, samples: Mapping[str, Mapping[int, Sample]]) -> list[Claim]:
        """Return the claims about an adequate number."""
        heaviest = next(iter(samples))
        return [
            _too_few(heaviest, samples[heaviest]),
            *(_enough(load, mine) for load, mine in samples.items()),
        ]


class SizeOfPackets(BufferStudy):
    """Bytes of a packet."""

    name = "buzzard-packet-size"
    title = "size of packets, 512 bytes"
    source = "Buzzard 1988, section 5.7"
    across = (16, 32, 48, 64, 96, 128, 256, 512)
    axis = "bytes of a packet"

    def task_list(self, interval: int, value: int, messages: int, replications: int) -> list[Task]:
        """Return the tasks of one size."""
        machine = packet_machine("quasi-adaptive", packet=value)
        return run_tasks(load_traffic(SHORT, interval, messages), machine, replications)

    def claims(self, samples: Mapping[str, Mapping[int, Sample]]) -> list[Claim]:
        """Return the claims about whole messages and about first packets."""
        return [
            claim
            for load, mine in samples.items()
            for claim in (_best_for_messages(load, mine), _best_for_both(load, mine))
        ]


def _against_most(samples: Mapping[int, Sample], number: int) -> Measured:
    """Return times of the last byte with a number of buffers, against those with the most."""
    mine, most = samples[number], samples[max(samples)]
    return measured(mine.means() / most.means(), mine.place)


def _enough(load: str, samples: Mapping[int, Sample]) -> Claim:
    """Nine buffers are one and a half times the dimension."""
    text = (
        "from about 1 to 1 1/2 times n packet buffers are adequate, so 9 are for n = 6 "
        f"[{load}: times of the last byte against those with {max(samples)}; a factor of {NEAR:g} taken as adequate]"
    )
    return claim_at_most(text, SECTION, _against_most(samples, 9), NEAR)


def _too_few(load: str, samples: Mapping[int, Sample]) -> Claim:
    """Four buffers are fewer than the dimension."""
    text = (
        "adding buffers provides the greatest gain until then, so 4 are not adequate "
        f"[{load}: times of the last byte against those with {max(samples)}]"
    )
    return claim_at_least(text, SECTION, _against_most(samples, 4), NEAR)


def _best(samples: Mapping[int, Sample], cost: Callable[[Sample], FloatArray]) -> Measured:
    """Return the size with the least cost of each run."""
    costs = np.array([cost(sample) for sample in samples.values()])
    best: FloatArray = np.array(list(samples), dtype=np.float64)[np.argmin(costs, axis=0)]
    return measured(best, *{sample.place for sample in samples.values()})


def _best_for_messages(load: str, samples: Mapping[int, Sample]) -> Claim:
    """A quarter of the mean length and more."""
    text = (
        "times of whole messages improve with the size of packets until it approaches the mean length of messages, "
        f"{SHORT} bytes [{load}: size with the least time of the last byte, mean over the runs; "
        f"from {SHORT // 4} bytes on taken as approaching]"
    )
    best = _best(samples, Sample.means)
    return claim_at_least(text, SECTION, best, SHORT / 4)


def _best_for_both(load: str, samples: Mapping[int, Sample]) -> Claim:
    """First packets want short packets, last bytes long ones."""
    text = (
        "packets of about 10 per cent of the mean message size work best [per cent with the least product of the times "
        f"of first packet and last byte, {load}, mean over the runs; 5 to 20 taken as about]"
    )
    best = _best(samples, lambda sample: sample.means("first") * sample.means("last"))
    return claim_within(text, SECTION, best.linear(100 / SHORT), 5, 20)


STUDIES = (NumberOfBuffers(), SizeOfPackets())
