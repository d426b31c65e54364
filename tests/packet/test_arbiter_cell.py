"""The 1-of-2 arbiter beside its golden twin."""

import pytest

from cubecast.tb.harness.lockstep import lockstep
from cubecast.tb.packet.arbiter_cell import BENCH
from tests.packet.corners import CORNERS


@pytest.mark.parametrize("simulator", ["icarus"], indirect=True)
def test_arbiter_cell(simulator):
    """All inputs at random."""
    lockstep(BENCH, CORNERS["default"], simulator=simulator, clocks=2000)
