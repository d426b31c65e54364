"""The report queue beside its golden twin."""

import pytest

from cubecast.tb.harness.lockstep import lockstep
from cubecast.tb.packet.report_queue import BENCH
from tests.packet.corners import CORNERS


@pytest.mark.parametrize("simulator", ["icarus"], indirect=True)
def test_report_queue(simulator):
    """Reports at random, also when two are stored."""
    lockstep(BENCH, CORNERS["default"], simulator=simulator, clocks=3000)
