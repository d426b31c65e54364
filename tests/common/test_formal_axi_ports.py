"""Every bit of the AXI ports of nodes and networks is that of its stream or register; a slave of another is refuted."""

# amaranth: UnusedElaboratable=no
import pytest

from cubecast.golden.adapter.contract.axi import axi as of_adapter
from cubecast.golden.collective.contract.axi import axi as of_collective
from cubecast.golden.crosspoint.contract.axi import axi as of_crosspoint
from cubecast.golden.multicast.contract.axi import axi as of_multicast
from cubecast.golden.packet.contract.axi import axi as of_packet
from cubecast.rtl.adapter.axi_network import AxiAdapterNetwork
from cubecast.rtl.adapter.axi_node import AxiAdapterNode
from cubecast.rtl.collective.axi_network import AxiCollectiveNetwork
from cubecast.rtl.collective.axi_node import AxiCollectiveNode
from cubecast.rtl.common import axi_ports
from cubecast.rtl.crosspoint.axi_network import AxiCrosspointNetwork
from cubecast.rtl.crosspoint.axi_router import AxiCrosspointRouter
from cubecast.rtl.multicast.axi_network import AxiNetwork
from cubecast.rtl.multicast.axi_router import AxiRouter
from cubecast.rtl.packet.axi_network import AxiPacketNetwork
from cubecast.rtl.packet.axi_router import AxiPacketRouter
from cubecast.tb.harness.formal import prove
from tests.adapter import test_lockstep as adapter
from tests.collective import test_lockstep as collective
from tests.common.axi_ports_spec import AxiPortsSpec
from tests.crosspoint import test_lockstep as crosspoint
from tests.harness.inside import placing_empty
from tests.multicast import test_lockstep as multicast
from tests.packet import test_lockstep as packet

SYSTEMS = {
    "adapter": (adapter, of_adapter, AxiAdapterNetwork, AxiAdapterNode, "node"),
    "collective": (collective, of_collective, AxiCollectiveNetwork, AxiCollectiveNode, "node"),
    "crosspoint": (crosspoint, of_crosspoint, AxiCrosspointNetwork, AxiCrosspointRouter, "router"),
    "multicast": (multicast, of_multicast, AxiNetwork, AxiRouter, "router"),
    "packet": (packet, of_packet, AxiPacketNetwork, AxiPacketRouter, "router"),
}
"""Table of lockstep runs, what AXI stands for, network and node or router, and what that is called inside."""


@pytest.fixture(autouse=True)
def empty(monkeypatch):
    """Units and slaves are anything: the ports are about theirs alone."""
    monkeypatch.setattr(axi_ports, "place", placing_empty(axi_ports.place))


def spec(system, cube, other=0):
    """Return the specification at the first corner of the lockstep runs."""
    table, axi, network, node, called = SYSTEMS[system]
    name = f"axi_{'network' if cube else called}"
    config = (getattr(table, "CONFIGS", None) or table.CORNERS)[table.TABLE[name].corners[0]]
    if cube:
        return AxiPortsSpec(network(config), axi(config, cube=True), "network", other)
    return AxiPortsSpec(node(config), axi(config), called, other)


@pytest.mark.parametrize("cube", [False, True], ids=["node", "network"])
@pytest.mark.parametrize("system", SYSTEMS)
def test_wires_are_proven(system, cube):
    """Of all streams and slaves."""
    prove(spec(system, cube), depth=2)


@pytest.mark.parametrize("system", SYSTEMS)
def test_accesses_are_reached(system):
    """Reads and writes at all slaves of a node."""
    prove(spec(system, cube=True), mode="cover", depth=2)


@pytest.mark.parametrize("system", SYSTEMS)
def test_registers_of_a_neighbour_are_refuted(system):
    """At the slaves of each node."""
    prove(spec(system, cube=True, other=1), mode="bmc", depth=1, expect="fail")
