"""Wires of the load network lead where they must, and one that answers as another router is refuted."""

# amaranth: UnusedElaboratable=no
import pytest

from cubecast.golden.packet.contract.config import PacketConfig
from cubecast.tb.harness.formal import prove
from tests.packet.load_network_spec import LoadNetworkSpec

CONFIG = PacketConfig(dim=2, rows=2, max_words=3)


@pytest.mark.parametrize(
    "config", [CONFIG, PacketConfig(dim=3), PacketConfig(dim=2, link="serial")], ids=["least", "cube", "serial"]
)
def test_wires_are_proven(config):
    """All links, settings, counters and answers."""
    prove(LoadNetworkSpec(config), depth=1)


def test_answers_are_reached():
    """One of the last router in which every bit is set."""
    prove(LoadNetworkSpec(CONFIG), mode="cover", depth=1)


def test_another_answer_is_refuted():
    """That of a neighbour."""
    prove(LoadNetworkSpec(CONFIG, 1), mode="bmc", depth=1, expect="fail")
