"""The input port beside its golden twin."""

import pytest

from cubecast.tb.harness.lockstep import lockstep
from cubecast.tb.multicast.input_port import BENCH
from tests.multicast.corners import CORNERS, runs


@pytest.mark.parametrize(("simulator", "name"), runs(both=("narrow",)), indirect=["simulator"])
def test_input_port_exhaustive(simulator, name):
    """Every input combination."""
    config = CORNERS[name]
    report = lockstep(BENCH, config, simulator=simulator, clocks=100_000)
    assert report.finished and report.clocks >= 2 ** (config.width + config.dim)


@pytest.mark.parametrize(("simulator", "name"), runs("n2", "default", "n5", both=()), indirect=["simulator"])
def test_input_port_random(simulator, name):
    """Random and corner inputs, where all are too many."""
    assert lockstep(BENCH, CORNERS[name], simulator=simulator, clocks=100_000).finished
