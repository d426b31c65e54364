"""The serializer beside its golden twin."""

import pytest

from cubecast.tb.harness.lockstep import lockstep
from cubecast.tb.packet.serializer import BENCH
from tests.multicast.corners import runs
from tests.packet.corners import CORNERS


@pytest.mark.parametrize(
    ("simulator", "name"),
    runs("least_serial", "triangle_serial", "long", both=("serial",)),
    indirect=["simulator"],
)
def test_serializer(simulator, name):
    """Packets, whole and broken, with gaps, holds, refusals and resets in every moment."""
    lockstep(BENCH, CORNERS[name], simulator=simulator, clocks=25_000)
