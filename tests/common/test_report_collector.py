"""The report collector beside its golden twin."""

import pytest

from cubecast.tb.common.report_collector import BENCH
from cubecast.tb.harness.lockstep import lockstep
from tests.multicast.corners import CORNERS, runs


@pytest.mark.parametrize(("simulator", "name"), runs("n2", "one_lane", "n5", both=("default",)), indirect=["simulator"])
def test_report_collector(simulator, name):
    """Reports of all units at random."""
    lockstep(BENCH, CORNERS[name].control, simulator=simulator, clocks=2000)
