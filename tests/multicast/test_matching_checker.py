"""The matching checker beside its golden twin."""

import pytest

from cubecast.tb.harness.lockstep import lockstep
from cubecast.tb.multicast.matching_checker import BENCH
from tests.multicast.corners import CORNERS, runs


@pytest.mark.parametrize(("simulator", "name"), runs("n2", both=("n5",)), indirect=["simulator"])
def test_matching_checker(simulator, name):
    """Checks, clears and resets at random."""
    lockstep(BENCH, CORNERS[name], simulator=simulator, clocks=3000)
