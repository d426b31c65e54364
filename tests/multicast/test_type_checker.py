"""The type checker beside its golden twin."""

import pytest

from cubecast.tb.harness.lockstep import lockstep
from cubecast.tb.multicast.type_checker import BENCH
from tests.multicast.corners import CORNERS, runs


@pytest.mark.parametrize(
    ("simulator", "name"),
    runs("n2", "m1", "default", "narrow", "no_data", "n5", both=("lists",)),
    indirect=["simulator"],
)
def test_type_checker_exhaustive(simulator, name):
    """Every input combination."""
    config = CORNERS[name]
    report = lockstep(BENCH, config, simulator=simulator, clocks=100_000)
    assert report.finished and report.clocks >= 2**config.dim
