"""The output module beside its golden twin."""

import pytest

from cubecast.tb.harness.lockstep import lockstep
from cubecast.tb.multicast.output_module import BENCH
from tests.multicast.corners import CORNERS, runs


@pytest.mark.parametrize(
    ("simulator", "name"),
    runs("n2", "m1", "narrow", "no_data", "fault_free", "lists", both=("n5", "source")),
    indirect=["simulator"],
)
def test_output_module(simulator, name):
    """Several copies at once, with stalls and gaps, and links that are cut in every phase."""
    lockstep(BENCH, CORNERS[name], simulator=simulator, clocks=4000)
