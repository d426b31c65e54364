"""Wires of the node interface lead where they must, and one that hears of other reports is refuted."""

# amaranth: UnusedElaboratable=no
import pytest

from cubecast.tb.harness.formal import prove
from tests.node.corners import CORNERS
from tests.node.node_interface_spec import NodeInterfaceSpec


@pytest.mark.parametrize("name", ["default", "one_buffer"])
def test_wires_are_proven(name):
    """All of them."""
    prove(NodeInterfaceSpec(CORNERS[name]), depth=2)


def test_what_meets_is_reached():
    """Events of two units, both that lend, a REWIND of the matcher beside a report."""
    prove(NodeInterfaceSpec(CORNERS["default"]), mode="cover", depth=2)


def test_reports_of_another_lane_are_refuted():
    """They are of links."""
    prove(NodeInterfaceSpec(CORNERS["default"], lane=1), mode="bmc", depth=1, expect="fail")
