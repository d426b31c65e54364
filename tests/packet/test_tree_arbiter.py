"""The tree arbiter beside its golden twin."""

import pytest

from cubecast.tb.harness.lockstep import lockstep
from cubecast.tb.packet.tree_arbiter import BENCH
from tests.packet.corners import CORNERS


@pytest.mark.parametrize(
    ("simulator", "count"),
    [("verilator", 5), ("icarus", 1), ("icarus", 2), ("icarus", 3), ("icarus", 5), ("icarus", 11)],
    indirect=["simulator"],
)
def test_tree_arbiter(simulator, count):
    """Requests at random, from one requester to all; none waits for more grants than a tree of this depth allows."""
    size = {"count": count}
    lockstep(BENCH, CORNERS["default"], simulator=simulator, clocks=6000, extra=size, options=size)
