"""The message handling unit beside its golden twin."""

import pytest

from cubecast.tb.harness.lockstep import lockstep
from cubecast.tb.multicast.mhu import BENCH
from tests.multicast.corners import CORNERS, runs


@pytest.mark.parametrize(
    ("simulator", "name"),
    runs(
        *("n2", "m1", "narrow", "no_data", "source_no_data", "fault_free", "n5"),
        *("ordered_n2", "ordered_source", "ordered_fault_free"),
        *("latency2_n2", "latency2_no_data", "latency2_source", "latency2_fault_free", "latency2_ordered_n4"),
        both=("latency2", "latency2_ordered", "default", "lists", "source", "ordered"),
    ),
    indirect=["simulator"],
)
def test_mhu(simulator, name):
    """Messages of every kind, with gaps, stalls, links that are cut and repaired, and resets."""
    lockstep(BENCH, CORNERS[name], simulator=simulator, clocks=8000)


@pytest.mark.soak
@pytest.mark.parametrize("seed", range(2, 12))
@pytest.mark.parametrize(
    ("simulator", "name"),
    runs(both=("default", "lists", "source", "ordered", "latency2", "latency2_ordered")),
    indirect=["simulator"],
)
def test_mhu_soak(simulator, name, seed):
    """The same at length, with other seeds."""
    lockstep(BENCH, CORNERS[name], simulator=simulator, clocks=100_000, seed=seed)
