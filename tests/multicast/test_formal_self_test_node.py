"""Wires of the self-test node lead where they must, and one with its registers the other way round is refuted."""

# amaranth: UnusedElaboratable=no
import pytest

from cubecast.tb.harness.formal import prove
from tests.multicast.corners import CORNERS
from tests.multicast.self_test_node_spec import SelfTestNodeSpec


@pytest.mark.parametrize("name", ["n2", "fault_free"])
def test_wires_are_proven(name):
    """All of them, and what is missing."""
    prove(SelfTestNodeSpec(CORNERS[name]), depth=2)


def test_what_is_missing_is_reached():
    """While the checker's registers are read, and a message has come in wrong."""
    prove(SelfTestNodeSpec(CORNERS["n2"]), mode="cover", depth=3)


def test_registers_the_other_way_round_are_refuted():
    """The lower half is the checker's."""
    prove(SelfTestNodeSpec(CORNERS["n2"], half=0), mode="bmc", depth=2, expect="fail")
