"""The reporter beside its golden twin."""

import pytest

from cubecast.tb.harness.lockstep import lockstep
from cubecast.tb.multicast.reporter import BENCH
from tests.multicast.corners import CORNERS, runs


@pytest.mark.parametrize(
    ("simulator", "name"), runs("n2", "m1", "default", "lists", both=("n5",)), indirect=["simulator"]
)
def test_reporter(simulator, name):
    """Every trouble with every kind of message, copies lost and broken at any moment."""
    lockstep(BENCH, CORNERS[name], simulator=simulator, clocks=6000)
