"""The operation unit beside its golden twin."""

import pytest

from cubecast.tb.collective.operation_unit import BENCH
from cubecast.tb.harness.lockstep import lockstep
from tests.collective.corners import CORNERS
from tests.multicast.corners import runs


@pytest.mark.parametrize(("simulator", "name"), runs("narrow", both=("n2",)), indirect=["simulator"])
def test_operation_unit(simulator, name):
    """Every operation on words of every order."""
    lockstep(BENCH, CORNERS[name], simulator=simulator, clocks=2000)
