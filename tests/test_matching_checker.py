"""The matching checker beside its golden twin."""

import pytest

from cubecast.tb.lockstep import lockstep
from cubecast.tb.matching_checker import BENCH
from tests.corners import CORNERS, runs


@pytest.mark.parametrize(("simulator", "name"), runs("n2", both=("n5",)), indirect=["simulator"])
def test_matching_checker(simulator, name):
    """Checks, clears and resets at random."""
    lockstep(BENCH, CORNERS[name], simulator=simulator, clocks=3000)
