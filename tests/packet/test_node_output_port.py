"""The node output port beside its golden twin."""

import pytest

from cubecast.tb.harness.lockstep import lockstep
from cubecast.tb.packet.node_output_port import BENCH
from tests.packet.corners import CORNERS


@pytest.mark.parametrize(
    ("simulator", "name"),
    [("icarus", name) for name in CORNERS if "serial" not in name],
    indirect=["simulator"],
)
def test_node_output_port(simulator, name):
    """Packets of every kind for one slot or several, mixed; grants, refusals, detours and faults at any time."""
    lockstep(BENCH, CORNERS[name], simulator=simulator, clocks=5000)
