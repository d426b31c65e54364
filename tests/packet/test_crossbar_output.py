"""The crossbar output beside its golden twin."""

import pytest

from cubecast.tb.harness.lockstep import lockstep
from cubecast.tb.packet.crossbar_output import BENCH
from tests.packet.corners import CORNERS


@pytest.mark.parametrize(
    ("simulator", "name", "count", "local"),
    [
        ("verilator", "default", 4, False),
        ("icarus", "default", 4, False),
        ("icarus", "default", 3, True),
        ("icarus", "least", 3, False),
        ("icarus", "least", 1, True),
        ("icarus", "long", 1, False),
        ("icarus", "triangle", 2, False),
    ],
    indirect=["simulator"],
)
def test_crossbar_output(simulator, name, count, local):
    """Requesters that withdraw and pause, a receiver that closes and refuses, a link that is cut."""
    size = {"count": count, "local": local}
    lockstep(BENCH, CORNERS[name], simulator=simulator, clocks=6000, extra=size, options=size)
