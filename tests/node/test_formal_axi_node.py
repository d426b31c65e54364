"""Wires of the node with AXI ports lead where they must, and one with a further doorbell is refuted."""

# amaranth: UnusedElaboratable=no
import pytest

from cubecast.tb.harness.formal import prove
from tests.node.axi_node_spec import AxiNodeSpec
from tests.node.corners import CORNERS


@pytest.mark.parametrize("name", ["default", "least"])
def test_wires_are_proven(name):
    """All of them, and which writes ring."""
    prove(AxiNodeSpec(CORNERS[name]), depth=2)


def test_a_doorbell_is_reached():
    """The last one; it waits."""
    prove(AxiNodeSpec(CORNERS["default"]), mode="cover", depth=3)


def test_one_doorbell_more_is_refuted():
    """Behind the last instruction is a register like all others."""
    prove(AxiNodeSpec(CORNERS["default"], more=1), mode="bmc", depth=2, expect="fail")
