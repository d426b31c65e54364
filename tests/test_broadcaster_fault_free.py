"""The broadcaster of the fault-free format beside its golden twin."""

import pytest

from cubecast.tb.broadcaster_fault_free import BENCH
from cubecast.tb.lockstep import lockstep
from tests.corners import CORNERS, runs


@pytest.mark.parametrize(("simulator", "name"), runs("n2", "default", "lists", both=("n5",)), indirect=["simulator"])
def test_broadcaster_fault_free_exhaustive(simulator, name):
    """Every input combination."""
    config = CORNERS[name]
    report = lockstep(BENCH, config, simulator=simulator, clocks=100_000)
    assert report.finished and report.clocks >= 2**config.dim
