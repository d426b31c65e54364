"""Points of the data in the docs, computed again: some of every source, to the last digit that is written."""

from pathlib import Path

import pytest

from cubecast.study.buzzard.message_run import Sample
from cubecast.study.checks.closed_forms import moments
from cubecast.study.checks.machines import machine_of
from cubecast.study.lan.traffic_point import METHODS, TrafficPoint
from cubecast.study.leu.steps import slowdown
from cubecast.study.model import Point
from cubecast.study.page import read
from cubecast.study.registry import all_studies
from cubecast.study.result import rounded
from cubecast.study.statistics import Summary, share, summarise
from cubecast.study.transport.distribution import parse_distribution
from cubecast.study.transport.machine import Machine

DATA = read(Path(__file__).resolve().parents[2] / "docs" / "studies")

STUDIES = all_studies()


def recomputed(name, wanted):
    """Return the tasks of a study whose arguments are as wanted, in its order, and what they come to today."""
    data = DATA[name]
    tasks = [task for task in STUDIES[name].tasks(data["parameters"]) if wanted(task.arguments)]
    assert tasks
    return tasks, [task.function(data["seed"], **task.arguments) for task in tasks]


def check(name, x, expected):
    """Compare points at a place of the x-axis, by curve."""
    points = {point["curve"]: Point(**point) for point in DATA[name]["points"] if point["x"] == x}
    for curve, summary in expected.items():
        assert points[curve] == rounded(Point.of(curve, x, summary))


@pytest.mark.parametrize(
    ("name", "count", "ratio"),
    [
        ("lan-5.3", 40, 1.0),
        ("lan-5.4", 21, 1.0),
        ("lan-5.5", 21, 1.0),
        ("lan-5.6", 9, 0.5),
        ("lan-5.7", 9, 0.5),
        ("lan-uniform-8", 43, 1.0),
        ("lan-decreasing-8", 43, 0.5),
    ],
)
def test_traffic_of_lan(name, count, ratio):
    """A number of destinations, all methods."""
    wanted = {"count": count, "ratio": ratio}
    _, (outcome,) = recomputed(name, lambda arguments: wanted.items() <= arguments.items())
    point = TrafficPoint(outcome)
    if name in ("lan-5.5", "lan-5.7"):
        check(name, count, {method: point.above("optimal", method) for method in METHODS[:-1]})
    else:
        check(name, count, {method: point.traffic(method) for method in DATA[name]["parameters"]["methods"]})


@pytest.mark.parametrize(("name", "dim", "faults"), [("lan-7.2", 8, 6), ("lan-7.2-large", 10, 12)])
def test_fault_model_of_lan(name, dim, faults):
    """A number of faulty nodes."""
    (task,), (outcome,) = recomputed(name, lambda arguments: (arguments["dim"], arguments["faults"]) == (dim, faults))
    check(name, faults, {f"n = {dim}": share(outcome["obeying"], task.arguments["runs"])})


@pytest.mark.parametrize(
    ("name", "machine"),
    [("4.23", "DCAB"), ("4.17", "CSFU"), ("4.26", "DTAU"), ("4.6-setup-40", "CSAB"), ("large", "DTFU")],
)
def test_message_times_of_buzzard(name, machine):
    """All runs of one machine."""
    study, parameters = STUDIES[f"buzzard-{name}"], DATA[f"buzzard-{name}"]["parameters"]
    size = study.runs_at(parameters, parameters["replications"])
    place = parameters["machines"].index(machine)
    tasks = study.tasks(parameters)[place * size : (place + 1) * size]
    sample = Sample([task.function(DATA[study.name]["seed"], **task.arguments) for task in tasks])
    check(study.name, place, {machine: sample.pooled()})


@pytest.mark.parametrize(
    ("name", "curve"),
    [
        ("buzzard-5.12", "wormhole"),
        ("buzzard-5.12-port", "quasi-adaptive"),
        ("buzzard-5.12-variance", "wormhole"),
        ("buzzard-5.13", "wormhole"),
        ("buzzard-5.14", "13 x 64"),
    ],
)
def test_packet_times_of_buzzard(name, curve):
    """All runs at the lightest load, which is the last one of the study's own length."""
    study, parameters = STUDIES[name], DATA[name]["parameters"]
    machine, interval = study.machines[curve], parameters["every"][-1]
    _, outcomes = recomputed(
        name,
        lambda arguments: (
            Machine(**arguments["machine"]) == machine
            and arguments["traffic"]["every"].startswith(f"nor({interval},")
            and arguments["traffic"]["length"] == f"exp({study.length})"
        ),
    )
    sample = Sample(outcomes)
    x = rounded(Point("", summarise(sample.values("ideal")).mean, 0.0, 0.0, 0.0, 0.0, 1)).x
    check(name, x, {f"{which} {curve}": sample.pooled(which) for which in ("first", "last")})


def test_packet_sizes_and_collisions_of_buzzard():
    """Whole messages in a packet at the fourth load; both equations at n = 6."""
    _, outcomes = recomputed(
        "buzzard-packet-size",
        lambda arguments: (
            Machine(**arguments["machine"]).packet == 512 and arguments["traffic"]["every"].startswith("nor(2048,")
        ),
    )
    sample = Sample(outcomes)
    check("buzzard-packet-size", 512, {f"{which}, fourth load": sample.pooled(which) for which in ("first", "last")})
    (task,), (outcome,) = recomputed("buzzard-eq5", lambda arguments: arguments["dim"] == 6)
    runs = task.arguments["runs"]
    sampled = {curve: share(outcome[curve], runs) for curve in ("fixed sampled", "adaptive sampled")}
    check("buzzard-eq5", 6, sampled | {"fixed": summarise([outcome["fixed"]])})


@pytest.mark.parametrize(
    ("name", "faults"),
    [("leu-success", 7), ("leu-success-nodes", 8), ("leu-steps", 7), ("leu-steps-nodes", 3), ("leu-lost", 7)],
)
def test_trees_and_merges_of_leu(name, faults):
    """A number of faults at n = 4."""
    wanted = {"dim": 4, "faults": faults}
    _, (outcome,) = recomputed(name, lambda arguments: wanted.items() <= arguments.items())
    if name.startswith("leu-success"):
        counts = {"sink": "sinks", "exists": "exist", "fault-free": "found", "optimal": "optimal"}
        expected = {curve: share(outcome[key], outcome["patterns"]) for curve, key in counts.items()}
    elif name == "leu-lost":
        expected = {scheme: Summary(**outcome[scheme]["lost"]) for scheme in ("printed", "commented", "repaired")}
    else:
        expected = {scheme: slowdown(4, outcome, scheme) for scheme in ("repaired", "detour")}
    check(name, faults, {f"{curve}, n = 4": summary for curve, summary in expected.items()})


@pytest.mark.parametrize(("name", "quantity"), [("lin-hops", "longest"), ("lin-hops-mean", "mean")])
def test_rings_of_lin(name, quantity):
    """Many random groups of six at n = 4."""
    wanted = {"dim": 4, "members": 6}
    _, (outcome,) = recomputed(name, lambda arguments: wanted.items() <= arguments.items())
    check(name, 6, {f"{way}, n = 4": Summary(**outcome[way][quantity]) for way in ("ring", "gray", "sequence")})


def test_checks_of_the_simulator():
    """Waits at a link, latency without load, mean latencies of packets in the simulator."""
    wanted = {"transport": "circuit", "length": "constant", "load": 0.1}
    _, (outcome,) = recomputed("check-queue", lambda arguments: wanted.items() <= arguments.items())
    ticks = moments(machine_of("circuit"), parse_distribution("length", "512"))[0]
    wait = Summary(**outcome["wait"])
    (mine,) = (
        each for each in DATA["check-queue"]["points"] if (each["curve"], each["x"]) == ("circuit, constant", 0.1)
    )
    assert (mine["mean"], mine["runs"]) == (pytest.approx(wait.mean / ticks, rel=1e-11), wait.runs)
    wanted = {"transport": "wormhole", "length": 512}
    _, (outcome,) = recomputed("check-latency", lambda arguments: wanted.items() <= arguments.items())
    check("check-latency", 4, {"wormhole, 512 bytes, last": summarise([outcome["last"][3]])})
    wanted = {"routing": "fixed", "packets": 1, "load": 0.2}
    data = DATA["check-packets"]
    tasks = [
        task
        for task in STUDIES["check-packets"].tasks(data["parameters"])
        if task.function.__name__ == "simulator_run" and wanted.items() <= task.arguments.items()
    ]
    firsts = [task.function(data["seed"], **task.arguments)["simulator"]["first"] for task in tasks]
    check("check-packets", 0.2, {"simulator, fixed, one packet": summarise(firsts)})
