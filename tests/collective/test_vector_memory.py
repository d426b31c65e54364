"""The vector memory beside its golden twin."""

import pytest

from cubecast.tb.collective.vector_memory import BENCH
from cubecast.tb.harness.lockstep import lockstep
from tests.collective.corners import CORNERS
from tests.multicast.corners import runs


@pytest.mark.parametrize(("simulator", "name"), runs("one_word", "single", both=("n2",)), indirect=["simulator"])
def test_vector_memory(simulator, name):
    """Reads and writes at random, many of the same word in the same clock."""
    lockstep(BENCH, CORNERS[name], simulator=simulator, clocks=2000)


@pytest.mark.soak
@pytest.mark.parametrize("seed", range(2, 5))
@pytest.mark.parametrize("name", list(CORNERS))
def test_vector_memory_soak(name, seed):
    """The same at length, with other seeds."""
    lockstep(BENCH, CORNERS[name], clocks=16_000, seed=seed)
