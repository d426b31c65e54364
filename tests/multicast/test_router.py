"""The router beside its golden twin."""

import pytest

from cubecast.tb.harness.lockstep import lockstep
from cubecast.tb.multicast.router import BENCH
from tests.multicast.corners import CORNERS, runs


@pytest.mark.parametrize(
    ("simulator", "name"),
    [
        *runs("lists", "source", "ordered", both=("n2",)),
        pytest.param("verilator", "ordered_n2", marks=pytest.mark.soak),
        ("verilator", "latency2_n2"),
        pytest.param("verilator", "latency2_ordered", marks=pytest.mark.soak),
    ],
    indirect=["simulator"],
)
def test_router(simulator, name):
    """Messages of every kind through every port, while both ends of every link take it down and up again."""
    lockstep(BENCH, CORNERS[name], simulator=simulator, clocks=4000)


@pytest.mark.soak
@pytest.mark.parametrize("seed", range(2, 8))
@pytest.mark.parametrize(("simulator", "name"), runs(both=("lists", "source", "ordered")), indirect=["simulator"])
def test_router_soak(simulator, name, seed):
    """The same at length, with other seeds."""
    lockstep(BENCH, CORNERS[name], simulator=simulator, clocks=40_000, seed=seed)
