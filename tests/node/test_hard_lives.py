"""Networks of whole nodes whose life is hard, in lockstep.

Links are cut and mended, offers time out, memories fail, doorbells ring that no program rings, resets come at any time.
"""

import pytest

from cubecast.tb.harness.lockstep import lockstep
from cubecast.tb.node.node_network import BENCH
from tests.node.corners import CORNERS


def live(corner, cycles, seed=1):
    """Run a network; everything that makes a life hard must occur."""
    options = {"hard": True}
    lockstep(BENCH, CORNERS[corner], cycles=cycles, seed=seed, extra={"probe": False}, options=options)


def test_a_hard_life():
    """RTL and golden network agree in every cycle; the seed is one with which everything occurs so soon."""
    live("serial", 4000, seed=1)


@pytest.mark.soak
@pytest.mark.parametrize("seed", range(2, 4))
@pytest.mark.parametrize("corner", ["one_buffer", "serial"])
def test_a_hard_life_at_length(corner, seed):
    """The same for longer."""
    live(corner, 15_000, seed)
