"""The store beside its golden twin."""

import pytest

from cubecast.tb.harness.lockstep import lockstep
from cubecast.tb.multicast.store import BENCH
from tests.multicast.corners import CORNERS, runs


@pytest.mark.parametrize(("simulator", "name"), runs("m1", "n2", "n5", both=("default",)), indirect=["simulator"])
def test_store(simulator, name):
    """Writes, row resets, rows that come back, clears and resets at random."""
    lockstep(BENCH, CORNERS[name], simulator=simulator, clocks=4000)
