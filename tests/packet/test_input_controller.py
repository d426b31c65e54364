"""The input controller beside its golden twin."""

import pytest

from cubecast.golden.packet.contract.config import PacketConfig
from cubecast.tb.harness.lockstep import lockstep
from cubecast.tb.packet.input_controller import BENCH
from tests.multicast.corners import runs
from tests.packet.corners import CORNERS

CONFIGS = CORNERS | {
    "no_rule": PacketConfig(dim=3, rows=2, max_words=4, contrary_rule=False),
    "most": PacketConfig(dim=10, rows=3, max_words=2),
}


@pytest.mark.parametrize(
    ("simulator", "name"),
    runs("least", "triangle", "fault_free", "long", "no_rule", "most", both=("default",)),
    indirect=["simulator"],
)
def test_input_controller(simulator, name):
    """Packets of every kind, malformed and broken ones, with links that are cut and resets."""
    lockstep(BENCH, CONFIGS[name], simulator=simulator, clocks=10_000)
