"""The receiver beside its golden twin."""

import pytest

from cubecast.tb.collective.receiver import BENCH
from cubecast.tb.harness.lockstep import lockstep
from tests.collective.corners import CORNERS
from tests.multicast.corners import runs


@pytest.mark.parametrize(("simulator", "name"), runs("fault_free", "narrow", both=("source",)), indirect=["simulator"])
def test_collective_receiver(simulator, name):
    """Messages of every kind, whole, short and with an error."""
    lockstep(BENCH, CORNERS[name], simulator=simulator, clocks=5000)


@pytest.mark.soak
@pytest.mark.parametrize("seed", range(2, 5))
@pytest.mark.parametrize("name", list(CORNERS))
def test_collective_receiver_soak(name, seed):
    """The same at length, with other seeds."""
    lockstep(BENCH, CORNERS[name], clocks=40_000, seed=seed)
