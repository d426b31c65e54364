"""The load network beside its golden twin."""

import pytest

from cubecast.tb.harness.lockstep import lockstep
from cubecast.tb.packet.load_network import BENCH
from tests.harness.seed import drawn
from tests.packet.test_lockstep import CONFIGS


@pytest.mark.soak
@pytest.mark.parametrize("seed", drawn(1))
@pytest.mark.parametrize("name", [name for name in CONFIGS if name.startswith("square")])
def test_load_network_soak(name, seed):
    """The same at length, with other seeds."""
    options = {"rounds": 6, "cycles": 1000}
    assert lockstep(BENCH, CONFIGS[name], cycles=2_000_000, seed=seed, options=options).finished
