"""The node input port beside its golden twin."""

import pytest

from cubecast.tb.harness.lockstep import lockstep
from cubecast.tb.packet.node_input_port import BENCH
from tests.packet.corners import CORNERS


@pytest.mark.parametrize(
    ("simulator", "name"),
    [("verilator", "default"), *(("icarus", name) for name in ("default", "least", "triangle", "fault_free"))],
    indirect=["simulator"],
)
def test_node_input_port(simulator, name):
    """Packets as close together as the crossbar sends them, and a node that stalls until the FIFO is full."""
    lockstep(BENCH, CORNERS[name], simulator=simulator, clocks=5000)
