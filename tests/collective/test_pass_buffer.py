"""The pass buffer beside its golden twin."""

import pytest

from cubecast.tb.collective.pass_buffer import BENCH
from cubecast.tb.harness.lockstep import lockstep
from tests.collective.corners import CORNERS
from tests.multicast.corners import runs


@pytest.mark.parametrize(("simulator", "name"), runs("one_word", "n4", both=("single",)), indirect=["simulator"])
def test_pass_buffer(simulator, name):
    """Pushes and pops at any level, beside clears and resets."""
    lockstep(BENCH, CORNERS[name], simulator=simulator, clocks=3000)


@pytest.mark.soak
@pytest.mark.parametrize("seed", range(2, 5))
@pytest.mark.parametrize("name", list(CORNERS))
def test_pass_buffer_soak(name, seed):
    """The same at length, with other seeds."""
    lockstep(BENCH, CORNERS[name], clocks=24_000, seed=seed)
