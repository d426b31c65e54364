"""The controller beside its golden twin."""

import pytest

from cubecast.tb.harness.lockstep import lockstep
from cubecast.tb.multicast.controller import BENCH
from tests.multicast.corners import CORNERS, runs


@pytest.mark.parametrize(("simulator", "name"), runs("latency2", both=("default",)), indirect=["simulator"])
def test_controller(simulator, name):
    """Every input at random, in every state."""
    lockstep(BENCH, CORNERS[name], simulator=simulator, clocks=6000)
