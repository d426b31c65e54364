"""The sender beside its golden twin."""

import pytest

from cubecast.tb.collective.sender import BENCH
from cubecast.tb.harness.lockstep import lockstep
from tests.collective.corners import CORNERS
from tests.multicast.corners import runs


@pytest.mark.parametrize(
    ("simulator", "name"), runs("fault_free", "single", "n4", both=("source",)), indirect=["simulator"]
)
def test_collective_sender(simulator, name):
    """Messages from both sources to whomever, cut short in every phase."""
    lockstep(BENCH, CORNERS[name], simulator=simulator, clocks=7000)


@pytest.mark.soak
@pytest.mark.parametrize("seed", range(2, 5))
@pytest.mark.parametrize("name", list(CORNERS))
def test_collective_sender_soak(name, seed):
    """The same at length, with other seeds."""
    lockstep(BENCH, CORNERS[name], clocks=56_000, seed=seed)
