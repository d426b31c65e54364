"""The next port beside its golden twin."""

import pytest

from cubecast.golden.packet.contract.config import PacketConfig
from cubecast.tb.harness.lockstep import lockstep
from cubecast.tb.packet.next_port import BENCH
from tests.packet.corners import CORNERS

SIZES = {name: CORNERS[name] for name in ("default", "least", "long")} | {"most": PacketConfig(dim=10)}


@pytest.mark.parametrize("name", SIZES)
@pytest.mark.parametrize("simulator", ["icarus"], indirect=True)
def test_next_port(simulator, name):
    """Every combination of inputs that can be, or many where there are too many."""
    lockstep(BENCH, SIZES[name], simulator=simulator, clocks=70_000)
