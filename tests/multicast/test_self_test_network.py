"""The self-test network beside its golden twin: it passes when everything has arrived, and only then."""

import pytest

from cubecast.tb.harness.lockstep import lockstep
from cubecast.tb.multicast.self_test_network import BENCH
from tests.harness.seed import drawn
from tests.multicast.corners import CORNERS


@pytest.mark.soak
@pytest.mark.parametrize("name", ["default", "lists", "source", "fault_free", "m1"])
@pytest.mark.parametrize("seed", drawn(1))
@pytest.mark.parametrize("simulator", ["verilator"], indirect=True)
def test_self_test_network_soak(simulator, name, seed):
    """The same at length, in larger networks."""
    options = {"runs": 10, "messages": 20}
    report = lockstep(
        BENCH, CORNERS[name], simulator=simulator, cycles=1_000_000, seed=seed, options=options, timeout=3600
    )
    assert report.finished
