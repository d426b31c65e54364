"""The output module beside its golden twin."""

import pytest

from cubecast.tb.lockstep import lockstep
from cubecast.tb.output_module import BENCH
from tests.corners import CORNERS, runs


@pytest.mark.parametrize(
    ("simulator", "name"),
    runs("n2", "m1", "narrow", "no_data", "fault_free", "n5", both=("lists", "source")),
    indirect=["simulator"],
)
def test_output_module(simulator, name):
    """Several copies at once, with stalls and gaps."""
    lockstep(BENCH, CORNERS[name], simulator=simulator, clocks=4000)
