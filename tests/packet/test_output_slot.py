"""The buffer slot beside its golden twin."""

import pytest

from cubecast.tb.harness.lockstep import lockstep
from cubecast.tb.packet.output_slot import BENCH
from tests.packet.corners import CORNERS


@pytest.mark.parametrize(
    ("simulator", "name"),
    [("verilator", "default"), *(("icarus", name) for name in CORNERS if "serial" not in name)],
    indirect=["simulator"],
)
def test_output_slot(simulator, name):
    """Packets of every kind are loaded, sent, refused and sent again, detoured, or dropped."""
    lockstep(BENCH, CORNERS[name], simulator=simulator, clocks=6000)
