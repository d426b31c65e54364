"""Every wire of the networks of all systems leads where it must, and one to another node is refuted."""

# amaranth: UnusedElaboratable=no
import pytest

from cubecast.tb.harness.formal import prove
from tests.common.cube_wires_spec import CubeWiresSpec
from tests.common.unit_proofs import CUBES, cube

LARGE = ("crosspoint/network", "packet/network", "reduction/network")
"""Networks of eight nodes; that wrong ones are refuted is seen of those of four."""

SOME = [pytest.param(unit, marks=[pytest.mark.soak] * (unit in LARGE)) for unit in CUBES]


@pytest.mark.parametrize("unit", CUBES)
def test_wires_are_proven(unit):
    """Of a network at the first corner of its lockstep runs."""
    prove(CubeWiresSpec(*cube(unit)), depth=1)


@pytest.mark.parametrize("unit", SOME)
def test_reports_are_reached(unit):
    """Of all nodes in the same cycle."""
    prove(CubeWiresSpec(*cube(unit)), mode="cover", depth=1)


@pytest.mark.parametrize("unit", SOME)
def test_links_to_other_nodes_are_refuted(unit):
    """Two steps away."""
    prove(CubeWiresSpec(*cube(unit), other=3), mode="bmc", depth=1, expect="fail")
