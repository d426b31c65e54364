"""The eligibility unit of the policy ``ordered`` beside its golden twin."""

import pytest

from cubecast.tb.harness.lockstep import lockstep
from cubecast.tb.multicast.eligibility import BENCH
from tests.multicast.corners import CORNERS, runs


@pytest.mark.parametrize(("simulator", "name"), runs("ordered_m1", both=("ordered",)), indirect=["simulator"])
def test_eligibility_exhaustive(simulator, name):
    """Every input combination."""
    config = CORNERS[name]
    report = lockstep(BENCH, config, simulator=simulator, clocks=100_000)
    assert report.finished and report.clocks >= 2 ** ((config.max_dest + 2) * config.dim)


@pytest.mark.parametrize(("simulator", "name"), runs("ordered_n4", both=()), indirect=["simulator"])
def test_eligibility_random(simulator, name):
    """Random and corner inputs, where all are too many."""
    assert lockstep(BENCH, CORNERS[name], simulator=simulator, clocks=100_000).finished
