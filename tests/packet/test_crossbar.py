"""The crossbar beside its golden twin."""

import pytest

from cubecast.tb.harness.lockstep import lockstep
from cubecast.tb.packet.crossbar import BENCH
from tests.packet.corners import CORNERS


@pytest.mark.parametrize(
    ("simulator", "name"),
    [("icarus", name) for name in ("default", "least", "fixed", "triangle", "fault_free")],
    indirect=["simulator"],
)
def test_crossbar(simulator, name):
    """All requesters ask for random outputs; outputs stall, refuse and are cut."""
    lockstep(BENCH, CORNERS[name], simulator=simulator, clocks=4000)
