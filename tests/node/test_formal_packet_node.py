"""Wires of the packet node lead where they must, and one with its registers the other way round is refuted."""

# amaranth: UnusedElaboratable=no
import pytest

from cubecast.tb.harness.formal import prove
from tests.node.corners import CORNERS
from tests.node.packet_node_spec import PacketNodeSpec


@pytest.mark.parametrize("name", ["default", "one_buffer", "serial"])
def test_wires_are_proven(name):
    """All of them."""
    prove(PacketNodeSpec(CORNERS[name]), depth=2)


def test_accesses_are_reached():
    """Two writes of the interface's registers, one behind the other, and a report."""
    prove(PacketNodeSpec(CORNERS["default"]), mode="cover", depth=3)


def test_registers_the_other_way_round_are_refuted():
    """The lower half is the router's."""
    prove(PacketNodeSpec(CORNERS["default"], half=0), mode="bmc", depth=1, expect="fail")
