"""The pass sequencer beside its golden twin."""

import pytest

from cubecast.tb.collective.pass_sequencer import BENCH
from cubecast.tb.harness.lockstep import lockstep
from tests.collective.corners import CORNERS
from tests.multicast.corners import runs


@pytest.mark.parametrize(
    ("simulator", "name"), runs("no_relays", "single", "source", both=("n2",)), indirect=["simulator"]
)
def test_pass_sequencer(simulator, name):
    """Relays and rings, quick and slow, some cut short."""
    lockstep(BENCH, CORNERS[name], simulator=simulator, clocks=8000)


@pytest.mark.soak
@pytest.mark.parametrize("seed", range(2, 5))
@pytest.mark.parametrize("name", list(CORNERS))
def test_pass_sequencer_soak(name, seed):
    """The same at length, with other seeds."""
    lockstep(BENCH, CORNERS[name], clocks=64_000, seed=seed)
