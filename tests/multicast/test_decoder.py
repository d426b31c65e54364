"""The decoder (DECR) beside its golden twin."""

import pytest

from cubecast.tb.harness.lockstep import lockstep
from cubecast.tb.multicast.decoder import BENCH
from tests.multicast.corners import CORNERS, runs


@pytest.mark.parametrize(("simulator", "name"), runs("m1", "n2", "default", both=("n5",)), indirect=["simulator"])
def test_decoder_exhaustive(simulator, name):
    """Every input combination."""
    config = CORNERS[name]
    report = lockstep(BENCH, config, simulator=simulator, clocks=100_000)
    assert report.finished and report.clocks >= 2 ** (config.max_dest + 1)
