"""The round-robin arbiter beside its golden twin."""

import pytest

from cubecast.tb.common.arbiter import BENCH
from cubecast.tb.harness.lockstep import lockstep
from tests.multicast.corners import CORNERS


@pytest.mark.parametrize("count", [2, 5])
def test_arbiter(simulator, count):
    """Requests at random, from one requester to all."""
    size = {"count": count}
    lockstep(BENCH, CORNERS["default"], simulator=simulator, clocks=3000, extra=size, options=size)
