"""The round-robin arbiter beside its golden twin."""

import pytest

from cubecast.golden.common.contract.units import Requests
from cubecast.tb.common.arbiter import BENCH
from cubecast.tb.harness.lockstep import lockstep


@pytest.mark.parametrize("count", [2, 5])
def test_arbiter(simulator, count):
    """Requests at random, from one requester to all."""
    lockstep(BENCH, Requests(count=count), simulator=simulator, clocks=3000)
