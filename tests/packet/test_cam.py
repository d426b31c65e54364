"""The CAM beside its golden twin."""

import pytest

from cubecast.tb.harness.lockstep import lockstep
from cubecast.tb.packet.cam import BENCH
from tests.multicast.corners import runs
from tests.packet.corners import CORNERS


@pytest.mark.parametrize(
    ("simulator", "name"), runs("least", "fixed", "triangle", "long", both=("default",)), indirect=["simulator"]
)
def test_cam(simulator, name):
    """Loads, rewrites and frees at random and all together, from an empty CAM to a full one."""
    lockstep(BENCH, CORNERS[name], simulator=simulator, clocks=8000)
