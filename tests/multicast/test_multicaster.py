"""The multicaster beside its golden twin."""

import pytest

from cubecast.tb.harness.lockstep import lockstep
from cubecast.tb.multicast.multicaster import BENCH
from tests.multicast.corners import CORNERS, runs


@pytest.mark.parametrize(
    ("simulator", "name"), runs("m1", "n2", "narrow", "latency2_n2", both=("no_data",)), indirect=["simulator"]
)
def test_multicaster_exhaustive(simulator, name):
    """Every input combination."""
    config = CORNERS[name]
    report = lockstep(BENCH, config, simulator=simulator, clocks=100_000)
    assert report.finished and report.clocks >= 2 ** ((config.max_dest + 1) * config.dim)


@pytest.mark.parametrize(
    ("simulator", "name"), runs("default", "lists", "latency2", both=("n5",)), indirect=["simulator"]
)
def test_multicaster_random(simulator, name):
    """Random and corner inputs, where all are too many."""
    assert lockstep(BENCH, CORNERS[name], simulator=simulator, clocks=100_000).finished
