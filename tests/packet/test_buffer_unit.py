"""The packet buffer unit beside its golden twin."""

import pytest

from cubecast.golden.packet.contract.config import PacketConfig
from cubecast.tb.harness.lockstep import lockstep
from cubecast.tb.packet.buffer_unit import BENCH, ORDER, TIMING
from tests.multicast.corners import runs
from tests.packet.corners import CORNERS

CONFIGS = CORNERS | {
    "small": PacketConfig(dim=3, rows=3, max_words=4),
    "most": PacketConfig(dim=10, rows=3, max_words=2),
}


@pytest.mark.parametrize(
    ("simulator", "name"),
    runs("default", "least", "triangle", "fault_free", "long", "most", both=("small",)),
    indirect=["simulator"],
)
def test_packet_buffer_unit(simulator, name):
    """Packets of every kind, malformed and broken ones, a crossbar that grants as it likes, cut links and resets."""
    lockstep(BENCH, CONFIGS[name], simulator=simulator, clocks=15_000)


@pytest.mark.parametrize("name", ["default", "least", "triangle", "long"])
@pytest.mark.parametrize("simulator", ["icarus"], indirect=True)
def test_packet_buffer_unit_timing(simulator, name):
    """Three clocks from a head on the link to the head for the crossbar, then a word in every clock."""
    assert lockstep(TIMING, CONFIGS[name], simulator=simulator).finished


@pytest.mark.parametrize("name", ["default", "small", "long"])
@pytest.mark.parametrize("simulator", ["icarus"], indirect=True)
def test_packet_buffer_unit_order(simulator, name):
    """Packets for one port leave in the order in which they came, whatever leaves in between."""
    assert lockstep(ORDER, CONFIGS[name], simulator=simulator).finished
