"""The router beside its golden twin."""

import pytest

from cubecast.tb.lockstep import lockstep
from cubecast.tb.router import BENCH
from tests.corners import CORNERS, runs


@pytest.mark.parametrize(("simulator", "name"), runs("lists", "source", both=("n2",)), indirect=["simulator"])
def test_router(simulator, name):
    """Messages of every kind through every port."""
    lockstep(BENCH, CORNERS[name], simulator=simulator, clocks=4000)
