"""The traffic checker beside its golden twin."""

import pytest

from cubecast.golden.multicast.contract.config import Config
from cubecast.tb.harness.lockstep import lockstep
from cubecast.tb.multicast.traffic_checker import BENCH
from tests.multicast.corners import CORNERS, runs


@pytest.mark.parametrize(
    ("simulator", "name"),
    runs("narrow", "no_data", "source", "source_no_data", "fault_free", both=("n2",)),
    indirect=["simulator"],
)
def test_traffic_checker(simulator, name):
    """Good deliveries and wrong ones, counted."""
    lockstep(BENCH, CORNERS[name], simulator=simulator, clocks=5000)


def test_wide_words(simulator):
    """Every bit of payload word 0 is checked."""
    config = Config(dim=10, width=75, max_data=3, source_field=True)
    lockstep(BENCH, config, simulator=simulator, clocks=3000)
