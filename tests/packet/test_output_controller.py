"""The output controller beside its golden twin."""

import pytest

from cubecast.tb.harness.lockstep import lockstep
from cubecast.tb.packet.output_controller import BENCH
from tests.packet.corners import CORNERS


@pytest.mark.parametrize(
    ("simulator", "name", "rows"),
    [
        *(("verilator", "default", 13), ("icarus", "default", 13), ("icarus", "default", 2)),
        *(("icarus", "least", 2), ("icarus", "triangle", 1), ("icarus", "long", 5)),
    ],
    indirect=["simulator"],
)
def test_output_controller(simulator, name, rows):
    """Packets of any length, complete or not, one after the other; stops, stalls and resets in every moment."""
    size = {"rows": rows}
    lockstep(BENCH, CORNERS[name], simulator=simulator, clocks=10_000, extra=size, options=size)
