"""Every bit of the AXI ports of nodes and networks is that of its stream or register; a slave of another is refuted."""

# amaranth: UnusedElaboratable=no
import pytest

from cubecast.tb.harness.formal import prove
from tests.common.axi_ports_spec import AxiPortsSpec
from tests.common.unit_proofs import AXI, ports

NETWORKS = [unit for unit, (_, called) in AXI.items() if called == "network"]


@pytest.mark.parametrize("unit", AXI)
def test_wires_are_proven(unit):
    """Of all streams and slaves, at the first corner of the lockstep runs."""
    prove(AxiPortsSpec(*ports(unit)), depth=2)


@pytest.mark.parametrize("unit", NETWORKS)
def test_accesses_are_reached(unit):
    """Reads and writes at all slaves of a node."""
    prove(AxiPortsSpec(*ports(unit)), mode="cover", depth=2)


@pytest.mark.parametrize("unit", NETWORKS)
def test_registers_of_a_neighbour_are_refuted(unit):
    """At the slaves of each node."""
    prove(AxiPortsSpec(*ports(unit), other=1), mode="bmc", depth=1, expect="fail")
