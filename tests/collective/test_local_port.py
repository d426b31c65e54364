"""The local port beside its golden twin."""

import pytest

from cubecast.tb.collective.local_port import BENCH
from cubecast.tb.harness.lockstep import lockstep
from tests.collective.corners import CORNERS
from tests.multicast.corners import runs


@pytest.mark.parametrize(("simulator", "name"), runs("narrow", both=("n2",)), indirect=["simulator"])
def test_local_port(simulator, name):
    """Messages of host and collectives while the owner changes."""
    lockstep(BENCH, CORNERS[name], simulator=simulator, clocks=3000)


@pytest.mark.soak
@pytest.mark.parametrize("seed", range(2, 5))
@pytest.mark.parametrize("name", list(CORNERS))
def test_local_port_soak(name, seed):
    """The same at length, with other seeds."""
    lockstep(BENCH, CORNERS[name], clocks=24_000, seed=seed)
