"""The collective unit beside its golden twin."""

import pytest

from cubecast.tb.collective.unit import BENCH
from cubecast.tb.harness.lockstep import lockstep
from tests.collective.corners import CORNERS
from tests.multicast.corners import runs


@pytest.mark.parametrize(
    ("simulator", "name"),
    runs("one_word", "no_relays", "single", "source", "fault_free", "n4", "default", both=("n2",)),
    indirect=["simulator"],
)
def test_collective_unit(simulator, name):
    """Merges, relays and rings with all that a node's peers do, and messages that nobody waits for."""
    lockstep(BENCH, CORNERS[name], simulator=simulator, clocks=8000)


@pytest.mark.soak
@pytest.mark.parametrize("seed", range(2, 5))
@pytest.mark.parametrize("name", list(CORNERS))
def test_collective_unit_soak(name, seed):
    """The same at length, with other seeds."""
    lockstep(BENCH, CORNERS[name], clocks=64_000, seed=seed)
