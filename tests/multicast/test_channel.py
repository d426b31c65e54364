"""The channel beside its golden twin."""

import pytest

from cubecast.tb.harness.lockstep import lockstep
from cubecast.tb.multicast.channel import BENCH
from tests.multicast.corners import CORNERS, runs


@pytest.mark.parametrize(
    ("simulator", "name"),
    runs("n2", "one_lane", "ordered", "latency2_ordered", both=("lists",)),
    indirect=["simulator"],
)
def test_channel(simulator, name):
    """Messages of every kind down the link, in all lanes, while links are cut and repaired."""
    lockstep(BENCH, CORNERS[name], simulator=simulator, clocks=5000)
