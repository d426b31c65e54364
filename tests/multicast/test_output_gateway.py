"""The output gateway beside its golden twin."""

import pytest

from cubecast.tb.harness.lockstep import lockstep
from cubecast.tb.multicast.output_gateway import BENCH
from tests.multicast.corners import CORNERS, runs


@pytest.mark.parametrize("local", [False, True])
@pytest.mark.parametrize(
    ("simulator", "name"),
    runs("n2", "one_lane", "n5", "ordered", "ordered_one_lane", both=("default",)),
    indirect=["simulator"],
)
def test_output_gateway(simulator, name, local):
    """Messages from every unit at random, to a link, which is cut now and then, and to the local port."""
    kind = {"local": local}
    lockstep(BENCH, CORNERS[name], simulator=simulator, clocks=4000, extra=kind, options=kind)
