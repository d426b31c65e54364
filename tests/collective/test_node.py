"""The node beside its golden twin."""

import pytest

from cubecast.tb.collective.node import BENCH
from cubecast.tb.harness.lockstep import lockstep
from tests.collective.corners import CORNERS
from tests.multicast.corners import runs


@pytest.mark.parametrize(("simulator", "name"), runs("default", both=("n2",)), indirect=["simulator"])
def test_collective_node(simulator, name):
    """Merges and rings through the router, beside the host's own messages."""
    lockstep(BENCH, CORNERS[name], simulator=simulator, clocks=6000)


@pytest.mark.soak
@pytest.mark.parametrize("seed", range(2, 5))
@pytest.mark.parametrize("name", list(CORNERS))
def test_collective_node_soak(name, seed):
    """The same at length, with other seeds."""
    lockstep(BENCH, CORNERS[name], clocks=48_000, seed=seed)
