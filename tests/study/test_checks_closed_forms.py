"""Closed forms against each other, against sums by hand, and the simulator against them."""

import numpy as np
import pytest
from matplotlib.figure import Figure

from cubecast.study.checks import latency, queue
from cubecast.study.checks.closed_forms import lindley, link_ticks, mean_wait, moments, zero_load
from cubecast.study.checks.closeness import equal_means
from cubecast.study.checks.latency import CheckLatency, latency_point
from cubecast.study.checks.machines import machine_of
from cubecast.study.checks.queue import CheckQueue, queue_point
from cubecast.study.transport.distribution import parse_distribution
from cubecast.study.transport.machine import TRANSPORTS
from cubecast.study.verdict import Measured

BY_HAND = {
    # transport: first and last of 512 bytes over 1 hop, and over 6
    "datagram": (1 + 32, 513, 5 * (1 + 40 + 512) + 1 + 32, 6 * 513 + 5 * 40),
    "cut-through": (1 + 32, 513, 6 + 32, 518),
    "circuit": (1 + 32, 513, 6 + 32, 518),
    "wormhole": (4 + 64, 4 + 1024, 24 + 64, 24 + 1024),
    "fixed-packet": (8 + 64, 8 + 2 * (512 + 4 * 19), 28 + 64, 28 + 2 * (512 + 4 * 19)),
    "quasi-adaptive": (8 + 64, 8 + 2 * (512 + 4 * 19), 28 + 64, 28 + 2 * (512 + 4 * 19)),
}


@pytest.mark.parametrize("transport", TRANSPORTS)
def test_latency_without_load_is_the_sum_of_the_basic_times(transport):
    """With the ticks of the chapters, set up by hand."""
    first, last = zero_load(machine_of(transport), np.array([1, 6]), np.array([512, 512]))
    assert (first[0], last[0], first[1], last[1]) == BY_HAND[transport]


@pytest.mark.parametrize("transport", TRANSPORTS)
@pytest.mark.parametrize("length", [1, 28, 29, 512])
def test_simulator_has_the_latency_without_load(transport, length):
    """To the tick, to all nodes of a 4-cube: less and more than a packet."""
    outcome = latency_point(1, transport, 4, length)
    assert outcome["worst"] == [0, 0]
    assert outcome["last"] == outcome["closed last"]
    assert outcome["first"] == outcome["closed first"]


def test_mean_waits_are_those_of_the_textbook():
    """M/D/1 and M/M/1, half loaded: half of the time on the link, and the whole of it."""
    assert mean_wait(10.0, 100.0, 20.0) == pytest.approx(5.0)
    assert mean_wait(10.0, 200.0, 20.0) == pytest.approx(10.0)
    assert mean_wait(10.0, 200.0, 12.5) == pytest.approx(40.0)


def test_more_than_the_link_carries_is_refused():
    """One line."""
    with pytest.raises(ValueError, match=r"^interval must be more than the mean time on the link, 10, not 10$"):
        mean_wait(10.0, 100.0, 10.0)


@pytest.mark.parametrize("transport", ["datagram", "wormhole", "fixed-packet"])
@pytest.mark.parametrize("text", ["512", "exp(56)"])
def test_moments_are_those_of_drawn_lengths(transport, text):
    """Rounding and packets included."""
    distribution, machine = parse_distribution("length", text), machine_of(transport)
    ticks = link_ticks(machine, distribution.draw(np.random.default_rng(1), (400_000,)))
    mean, square = moments(machine, distribution)
    assert ticks.mean() == pytest.approx(mean, rel=0.005)
    assert (ticks.astype(float) ** 2).mean() == pytest.approx(square, rel=0.015)


def test_moments_of_other_lengths_are_refused():
    """One line."""
    with pytest.raises(ValueError, match=r"^length must be constant or exponential, not 'nor'$"):
        moments(machine_of("datagram"), parse_distribution("length", "nor(5,2)"))


def test_lindley_is_one_message_after_the_other():
    """Message by message, with idle times between."""
    random = np.random.default_rng(1)
    time, ticks = random.integers(0, 20, 500).cumsum(), random.integers(1, 18, 500)
    free, waits = 0, []
    for come, take in zip(time.tolist(), ticks.tolist(), strict=True):
        start = max(come, free)
        waits.append(start - come)
        free = start + take
    assert lindley(time, ticks).tolist() == waits
    assert 0 in waits[100:] and max(waits) > 50


@pytest.mark.parametrize("transport", TRANSPORTS)
@pytest.mark.parametrize("length", ["constant", "exponential"])
def test_simulator_waits_as_in_the_queue(transport, length):
    """Every message as long as Lindley's recursion says, and on average as long as the closed form."""
    outcome = queue_point(1, transport, length, 0.5, 1000, 4)
    assert outcome["worst"] == 0
    study = CheckQueue()
    parameters = study.parameters(True) | {"transports": [transport], "loads": [0.5]}
    points, claims = study.evaluate(parameters, [outcome, outcome])
    simulated, closed = points[:2] if length == "constant" else points[2:]
    assert simulated.mean == pytest.approx(closed.mean, rel=0.2)
    assert claims[0].verdict == "holds"


def test_single_messages_that_wait_longer_are_seen(monkeypatch):
    """By the study that looks at the recursion."""
    monkeypatch.setattr(queue, "lindley", lambda time, ticks: lindley(time, ticks) - (time == time[7]))
    outcome = queue_point(1, "wormhole", "constant", 0.5, 100, 2)
    assert outcome["worst"] == 1
    study = CheckQueue()
    parameters = study.parameters(True) | {"transports": ["wormhole"], "loads": [0.5]}
    assert study.evaluate(parameters, [outcome, outcome])[1][0].verdict == "differs by 1"


def test_means_that_differ_are_said_to():
    """By how much beyond the 5 %, and which way, at the load where it is most; few runs leave it open."""
    few, many = Measured(3.0, (2.0, 4.0), ("at 0.1",)), Measured(-9.0, (-10.0, -8.0), ("at 0.5",))
    claim = equal_means("equal", "text", {"0.1": few, "0.5": many})
    assert claim.claim == "equal [largest difference in per cent, below, at load 0.5; up to 5 taken as equal]"
    assert (claim.measured, claim.interval, claim.verdict) == (9.0, (8.0, 10.0), "differs by 4")
    assert equal_means("equal", "text", {"0.1": few}).verdict == "holds"
    wide = Measured(-9.0, (-16.0, -2.0), ("at 0.5",))
    claim = equal_means("equal", "text", {"0.1": few, "0.5": wide}, beside=", less 3")
    assert (claim.verdict, claim.places) == ("open", ("at 0.5",))
    assert "at load 0.5, less 3;" in claim.claim


def test_late_messages_are_seen():
    """A study whose outcomes are a tick off says so."""
    study = CheckLatency()
    parameters = study.parameters(True)
    outcomes = [task.function(1, **task.arguments) for task in study.tasks(parameters)]
    points, claims = study.evaluate(parameters, outcomes)
    assert [claim.verdict for claim in claims] == ["holds"] * 6
    assert len(points) == 6 * 4 * 6
    axes = Figure().subplots()
    study.draw(axes, parameters, points)
    assert axes.get_xlabel() and axes.get_ylabel() and len(axes.get_lines()) == 12
    two = [{**outcome, "worst": worst} for outcome in outcomes for worst in ([0, 1], [0, 0])]
    assert study.evaluate(parameters | {"lengths": [1, 2]}, two)[1][2].verdict == "differs by 1"


def test_latencies_off_the_sums_are_seen(monkeypatch):
    """One message of all, a tick."""
    monkeypatch.setattr(latency, "zero_load", lambda *each: [ticks + (each[1] == 3) for ticks in zero_load(*each)])
    assert latency_point(1, "circuit", 3, 40)["worst"] == [1, 1]
