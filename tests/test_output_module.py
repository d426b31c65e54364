"""The output module beside its golden twin."""

import pytest

from cubecast.tb.lockstep import lockstep
from cubecast.tb.output_module import BENCH
from tests.corners import CORNERS, runs


@pytest.mark.parametrize(
    ("simulator", "name"),
    runs("n2", "m1", "narrow", "no_data", "fault_free", "lists", both=("n5", "source")),
    indirect=["simulator"],
)
def test_output_module(simulator, name):
    """Several copies at once, with stalls and gaps, and links that are cut in every phase."""
    lockstep(BENCH, CORNERS[name], simulator=simulator, clocks=4000)
