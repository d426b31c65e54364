"""Packet transports of the simulator against the cycle-accurate packet network."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from cubecast.study.checks.closeness import CLOSE, equal_means
from cubecast.study.checks.network_details import Details
from cubecast.study.checks.packet_traffic import (
    DELIVERY,
    HOP,
    PERIOD,
    ROUTINGS,
    in_detail,
    in_network,
    in_simulator,
    packet_messages,
    single_messages,
)
from cubecast.study.model import Claim, Outcome, Parameters, Point, Study, Task
from cubecast.study.statistics import summarise
from cubecast.study.transport.traffic import Messages
from cubecast.study.verdict import Measured, farthest, hold, mean

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["DETAILS", "STUDIES", "CheckPackets", "network_run", "simulator_run", "single_run"]

SOURCE = "cycle-accurate packet network"

KINDS = (("1", "first"), ("4", "first"), ("4", "last"))
"""Packets of a message, and whether its first or its last one counts."""

DETAILS = {
    "deliveries": Details(delivery=DELIVERY),
    "promises": Details(reserve=True),
    "deliveries and promises": Details(delivery=DELIVERY, reserve=True),
}
"""What is as in the network, in simulations that explain the differences."""

Runs = Mapping[float, Sequence[Mapping[str, Outcome]]]
"""By load: the runs, each with the outcomes by system."""

Curves = Mapping[str, tuple[str, str, str, Runs]]
"""By name: routing, packets of a message, which of them counts, and the runs."""


def network_run(seed: int, routing: str, dim: int, packets: int, load: float, count: int, run: int) -> Outcome:
    """Return mean latencies of the first and the last packet of messages in the packet network.

    Parameters
    ----------
    seed : int
        That of the command line.
    routing : str
        ``fixed`` or ``quasi-adaptive``.
    dim, packets, load, count, run
        As in :func:`.packet_traffic.packet_messages`.
    """
    carried = in_network(routing, packet_messages(seed, dim, packets, load, count, run))
    return {"network": {"first": float(carried.first.mean()), "last": float(carried.last.mean())}}


def simulator_run(seed: int, routing: str, dim: int, packets: int, load: float, count: int, run: int) -> Outcome:
    """Return the same of the simulator, as it is and with :data:`DETAILS`; parameters as for :func:`network_run`."""
    simulated = _simulated(routing, packet_messages(seed, dim, packets, load, count, run))
    return {
        name: {"first": float(first.mean()), "last": float(last.mean())} for name, (first, last) in simulated.items()
    }


def single_run(seed: int, routing: str, dim: int) -> Outcome:
    """Return latencies without load by distance, of network and simulator; there is nothing random."""
    del seed
    sent = single_messages(dim)
    simulated = {name: last.tolist() for name, (_, last) in _simulated(routing, sent).items()}
    return {"network": in_network(routing, sent).last.tolist(), **simulated}


def _simulated(routing: str, sent: Messages) -> dict[str, Any]:
    """Return latencies of the first and the last packets, by what is as in the network."""
    record = in_simulator(routing, sent)
    detailed = {name: in_detail(routing, sent, details) for name, details in DETAILS.items()}
    return {"simulator": (record.first, record.last), **detailed}


class CheckPackets(Study):
    """Mean latency against load, in the network and in the simulator."""

    name = "check-packets"
    title = "simulator and cycle-accurate packet network"
    source = SOURCE
    doublings = 1

    def parameters(self, quick: bool) -> Parameters:
        """Return dimension, routings, loads, messages of each node and runs."""
        return {
            "dim": 3,
            "routings": list(ROUTINGS),
            "loads": [0.2, 0.6] if quick else [0.2, 0.4, 0.6, 0.8],
            "messages": {"1": 5, "4": 2} if quick else {"1": 16, "4": 6},
            "runs": 2 if quick else 4,
            "clocks": {"hop": HOP, "packet": PERIOD},
            "details": list(DETAILS),
            "quantity": "mean latency in cycles",
            "left_out": "",
        }

    def tasks(self, parameters: Parameters) -> list[Task]:
        """Return latencies without load, then every run of network and simulator."""
        single = [
            Task(single_run, {"routing": routing, "dim": parameters["dim"]}) for routing in parameters["routings"]
        ]
        places = self._places(parameters)
        return single + [Task(function, place) for place in places for function in (network_run, simulator_run)]

    def _places(self, parameters: Parameters) -> list[dict[str, Any]]:
        """Return the arguments of every run."""
        return [
            {"routing": routing, "dim": parameters["dim"], "packets": int(packets), "load": load}
            | {"count": count, "run": run}
            for routing in parameters["routings"]
            for packets, count in parameters["messages"].items()
            for load in parameters["loads"]
            for run in range(self.runs_at(parameters, parameters["runs"], _place(routing, packets, load)))
        ]

    def evaluate(self, parameters: Parameters, outcomes: Sequence[Outcome]) -> tuple[list[Point], list[Claim]]:
        """Return latencies, by how much they differ, and by how much they do with the network's details."""
        routings = parameters["routings"]
        single = dict(zip(routings, outcomes, strict=False))
        rest = iter(outcomes[len(routings) :])
        runs: dict[tuple[str, str], dict[float, list[dict[str, Outcome]]]] = {}
        for place in self._places(parameters):
            loads = runs.setdefault((place["routing"], str(place["packets"])), {})
            loads.setdefault(place["load"], []).append({**next(rest), **next(rest)})
        curves: Curves = {
            _name(routing, packets, part): (routing, packets, part, runs[routing, packets])
            for routing in routings
            for packets, part in KINDS
        }
        points = [
            Point.of(f"{system}, {name}", load, summarise([run[system][part] for run in each]))
            for name, (_, _, part, loads) in curves.items()
            for system in ("network", "simulator", *parameters["details"])
            for load, each in loads.items()
        ]
        claims = [claim for routing in routings for claim in _without_load(routing, single[routing])]
        for name, (routing, _, _, _) in curves.items():
            text = f"{name}: mean latencies are those of the network"
            claims.append(equal_means(text, SOURCE, _excess("simulator", name, curves)))
            constant = _apart("simulator", single[routing])
            beside = f", {-constant:g} cycles added"
            claims.append(equal_means(text, SOURCE, _excess("simulator", name, curves, constant), beside))
        for system in parameters["details"]:
            claims.append(_explained(system, single, curves))
        return points, claims

    def draw(self, axes: Axes, parameters: Parameters, points: Sequence[Point]) -> None:
        """Draw the network's latencies as lines and the simulator's as marks."""
        for routing, colour in zip(parameters["routings"], ("C0", "C1"), strict=True):
            for (packets, part), line, mark in zip(KINDS, ("-", "--", ":"), "osD", strict=True):
                name = _name(routing, packets, part)
                for system, style in (("network", line), ("simulator", mark)):
                    mine = [point for point in points if point.curve == f"{system}, {name}"]
                    label = name if system == "network" else None
                    axes.plot([p.x for p in mine], [p.mean for p in mine], colour + style, label=label, mfc="none")
        axes.set_xlabel("load of the links")
        axes.set_ylabel("mean latency in cycles (lines: network, marks: simulator)")
        axes.set_xlim(left=0)
        axes.set_ylim(bottom=0)


def _name(routing: str, packets: str, part: str) -> str:
    """Return what a curve shows."""
    return f"{routing}, " + ("one packet" if packets == "1" else f"{part} of {packets} packets")


def _apart(system: str, single: Outcome) -> float:
    """Return by how many cycles a message of one hop takes longer than in the network."""
    return float(single[system][0] - single["network"][0])


def _place(routing: str, packets: str, load: float) -> str:
    """Return the place of a point."""
    return f"{routing}, {packets} packets, load {load:g}"


def _without_load(routing: str, single: Outcome) -> list[Claim]:
    """Hold the latencies of single messages against each other: of the further hops, and altogether."""
    pairs = list(zip(single["network"], single["simulator"], strict=True))
    hops = max(abs(ours - theirs - _apart("simulator", single)) for theirs, ours in pairs)
    percent = {str(hop): Measured(100 * (ours / theirs - 1)) for hop, (theirs, ours) in enumerate(pairs, start=1)}
    each = f"{routing}: without load, each further hop takes as long in both [largest difference in cycles]"
    whole = f"{routing}: and a message does [largest difference in per cent; up to {CLOSE:g} taken as equal]"
    return [
        hold(each, SOURCE, Measured(hops), high=0),
        hold(whole, SOURCE, farthest(percent, 0.0)[1], high=CLOSE),
    ]


def _excess(system: str, name: str, curves: Curves, constant: float = 0.0) -> dict[str, Measured]:
    """Return by how many per cent means, less a constant, are above the network's, by load."""
    routing, packets, part, loads = curves[name]

    def percent(run: Mapping[str, Outcome]) -> float:
        """Return it of one run."""
        return 100 * float((run[system][part] - constant) / run["network"][part] - 1)

    return {
        f"{load:g}": mean(summarise([percent(run) for run in each]), _place(routing, packets, load))
        for load, each in loads.items()
    }


def _explained(system: str, single: Mapping[str, Outcome], curves: Curves) -> Claim:
    """Hold the means with details of the network against it: of all curves, the largest difference."""
    excess = {
        f"{load}, {name}": measured
        for name, (routing, *_) in curves.items()
        for load, measured in _excess(system, name, curves, _apart(system, single[routing])).items()
    }
    constants = sorted({_apart(system, each) for each in single.values()})
    beside = f", {' or '.join(f'{-constant:g}' for constant in constants)} cycles added"
    text = f"with {system} as in the network, mean latencies are those of the network"
    return equal_means(text, SOURCE, excess, beside)


STUDIES = (CheckPackets(),)
