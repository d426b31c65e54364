"""The control port beside its golden twin."""

import pytest

from cubecast.tb.common.control_port import BENCH
from cubecast.tb.harness.lockstep import lockstep
from tests.multicast.corners import CORNERS, runs


@pytest.mark.parametrize(
    ("simulator", "name"), runs("n2", "fault_free", "one_lane", both=("default",)), indirect=["simulator"]
)
def test_control_port(simulator, name):
    """Reads, writes, events, reports and neighbours that take links down, at random."""
    lockstep(BENCH, CORNERS[name].control, simulator=simulator, clocks=6000)
