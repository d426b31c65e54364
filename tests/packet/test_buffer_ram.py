"""The buffer RAM beside its golden twin."""

import pytest

from cubecast.tb.harness.lockstep import lockstep
from cubecast.tb.packet.buffer_ram import BENCH
from tests.packet.corners import CORNERS


@pytest.mark.parametrize(
    ("simulator", "name", "count"),
    [
        *(("verilator", "default", 5), ("icarus", "default", 5), ("icarus", "default", 2)),
        *(("icarus", "least", 2), ("icarus", "triangle", 1), ("icarus", "long", 5)),
    ],
    indirect=["simulator"],
)
def test_buffer_ram(simulator, name, count):
    """Writes and reads at random, many of the same word in the same clock."""
    size = {"count": count}
    lockstep(BENCH, CORNERS[name], simulator=simulator, clocks=4000, extra=size, options=size)
