"""The input module beside its golden twin."""

import pytest

from cubecast.tb.harness.lockstep import lockstep
from cubecast.tb.multicast.input_module import BENCH
from tests.multicast.corners import CORNERS, runs


@pytest.mark.parametrize(
    ("simulator", "name"),
    runs("n2", "m1", "narrow", "no_data", "source_no_data", "fault_free", "n5", both=("lists", "source")),
    indirect=["simulator"],
)
def test_input_module(simulator, name):
    """Messages of every kind, well-formed and malformed, with gaps, and links that are cut at any moment of them."""
    lockstep(BENCH, CORNERS[name], simulator=simulator, clocks=6000)
