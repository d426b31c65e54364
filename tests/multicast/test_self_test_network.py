"""The self-test network beside its golden twin: it passes when everything has arrived, and only then."""

import pytest

from cubecast.tb.harness.lockstep import lockstep
from cubecast.tb.multicast.self_test_network import BENCH
from tests.multicast.corners import CORNERS

RUNS = {
    ("verilator", "n2"): {"runs": 8, "messages": 12},
    ("icarus", "n2"): {},
    ("icarus", "fault_free"): {"runs": 2, "messages": 3},
}
"""Simulator and configuration; what is run."""

LONGER = {("icarus", "narrow"): {"runs": 1, "messages": 3}}
"""The same, only in make soak."""


@pytest.mark.parametrize(
    ("simulator", "name"),
    [*RUNS, *(pytest.param(*run, marks=pytest.mark.soak) for run in LONGER)],
    indirect=["simulator"],
)
def test_self_test_network(simulator, name):
    """Traffic of all kinds, with the same sums sent and delivered; and a node cut off, which is noticed."""
    report = lockstep(
        BENCH, CORNERS[name], simulator=simulator, clocks=60_000, options=(RUNS | LONGER)[simulator, name]
    )
    assert report.finished


@pytest.mark.soak
@pytest.mark.parametrize("name", ["default", "lists", "source", "fault_free", "m1"])
@pytest.mark.parametrize("seed", range(2, 5))
@pytest.mark.parametrize("simulator", ["verilator"], indirect=True)
def test_self_test_network_soak(simulator, name, seed):
    """The same at length, in larger networks."""
    options = {"runs": 10, "messages": 20}
    report = lockstep(
        BENCH, CORNERS[name], simulator=simulator, clocks=1_000_000, seed=seed, options=options, timeout=3600
    )
    assert report.finished
