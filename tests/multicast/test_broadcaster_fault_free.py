"""The broadcaster of the fault-free format beside its golden twin."""

import pytest

from cubecast.tb.harness.lockstep import lockstep
from cubecast.tb.multicast.broadcaster_fault_free import BENCH
from tests.multicast.corners import CORNERS, runs


@pytest.mark.parametrize(
    ("simulator", "name"),
    runs("n2", "default", "ordered_n2", "ordered_fault_free", both=("n5", "ordered_n4")),
    indirect=["simulator"],
)
def test_broadcaster_fault_free_exhaustive(simulator, name):
    """Every input combination; the address is an input where the order of the dimensions follows from it."""
    config = CORNERS[name]
    report = lockstep(BENCH, config, simulator=simulator, clocks=100_000)
    assert report.finished and report.clocks >= 2 ** (config.dim * (2 if config.policy == "ordered" else 1))
