"""The report collector beside its golden twin."""

import pytest

from cubecast.tb.lockstep import lockstep
from cubecast.tb.report_collector import BENCH
from tests.corners import CORNERS, runs


@pytest.mark.parametrize(("simulator", "name"), runs("n2", "one_lane", "n5", both=("default",)), indirect=["simulator"])
def test_report_collector(simulator, name):
    """Reports of all units at random."""
    lockstep(BENCH, CORNERS[name], simulator=simulator, clocks=2000)
