"""The data buffer beside its golden twin."""

import pytest

from cubecast.tb.harness.lockstep import lockstep
from cubecast.tb.multicast.data_buffer import BENCH
from tests.multicast.corners import CORNERS, runs


@pytest.mark.parametrize(
    ("simulator", "name"),
    runs("n2", "narrow", "source_no_data", "n5", both=("default", "no_data")),
    indirect=["simulator"],
)
def test_data_buffer(simulator, name):
    """Pushes, clears and reads at random, at both ends of the buffer."""
    lockstep(BENCH, CORNERS[name], simulator=simulator, clocks=5000)
