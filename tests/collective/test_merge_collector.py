"""The merge collector beside its golden twin."""

import pytest

from cubecast.tb.collective.merge_collector import BENCH
from cubecast.tb.harness.lockstep import lockstep
from tests.collective.corners import CORNERS
from tests.multicast.corners import runs


@pytest.mark.parametrize(("simulator", "name"), runs("one_word", "n4", both=("n2",)), indirect=["simulator"])
def test_merge_collector(simulator, name):
    """Messages word by word in every state, with credits used and cuts."""
    lockstep(BENCH, CORNERS[name], simulator=simulator, clocks=6000)


@pytest.mark.soak
@pytest.mark.parametrize("seed", range(2, 5))
@pytest.mark.parametrize("name", list(CORNERS))
def test_merge_collector_soak(name, seed):
    """The same at length, with other seeds."""
    lockstep(BENCH, CORNERS[name], clocks=48_000, seed=seed)
