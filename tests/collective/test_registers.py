"""The registers beside its golden twin."""

import pytest

from cubecast.tb.collective.registers import BENCH
from cubecast.tb.harness.lockstep import lockstep
from tests.collective.corners import CORNERS
from tests.multicast.corners import runs


@pytest.mark.parametrize(("simulator", "name"), runs("no_relays", "n4", both=("n2",)), indirect=["simulator"])
def test_collective_registers(simulator, name):
    """Everything is written and read, while the unit is busy and while it is not."""
    lockstep(BENCH, CORNERS[name], simulator=simulator, clocks=5000)


@pytest.mark.soak
@pytest.mark.parametrize("seed", range(2, 5))
@pytest.mark.parametrize("name", list(CORNERS))
def test_collective_registers_soak(name, seed):
    """The same at length, with other seeds."""
    lockstep(BENCH, CORNERS[name], clocks=40_000, seed=seed)
