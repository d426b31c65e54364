"""The broadcaster with control vectors beside its golden twin."""

import pytest

from cubecast.tb.broadcaster_fault_tolerant import BENCH
from cubecast.tb.lockstep import lockstep
from tests.corners import CORNERS, runs


@pytest.mark.parametrize(("simulator", "name"), runs("n2", "default", "lists", both=("n5",)), indirect=["simulator"])
def test_broadcaster_fault_tolerant_exhaustive(simulator, name):
    """Every input combination."""
    config = CORNERS[name]
    report = lockstep(BENCH, config, simulator=simulator, clocks=100_000)
    assert report.finished and report.clocks >= 4**config.dim
