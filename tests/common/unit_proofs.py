"""Which proofs hold for a unit at the first corner of its lockstep runs, so that planted bugs go through them."""

from cubecast.golden.adapter.contract.axi import axi as of_adapter
from cubecast.golden.adapter.contract.axi import axi_of_adapter
from cubecast.golden.collective.contract.axi import axi as of_collective
from cubecast.golden.crosspoint.contract.axi import axi as of_crosspoint
from cubecast.golden.multicast.contract.axi import axi as of_multicast
from cubecast.golden.packet.contract.axi import axi as of_packet
from cubecast.tb.mutants.netlist import made
from cubecast.tb.mutants.runs import plan, units
from tests.board.board_network_spec import BoardNetworkSpec
from tests.collective.vector_memory_spec import VectorMemorySpec
from tests.common.axi_ports_spec import AxiPortsSpec
from tests.common.counters_spec import CountersSpec
from tests.common.cube_wires_spec import CubeWiresSpec
from tests.common.load_router_spec import LoadRouterSpec
from tests.common.offer_spec import OfferSpec
from tests.common.test_formal_counters import UNITS as COUNTED
from tests.multicast.header_spec import HeaderSpec
from tests.multicast.self_test_network_spec import SelfTestNetworkSpec
from tests.multicast.self_test_node_spec import SelfTestNodeSpec
from tests.multicast.traffic_checker_spec import TrafficCheckerSpec
from tests.node.axi_node_spec import AxiNodeSpec
from tests.node.control_unit_spec import CopySpec
from tests.node.node_interface_spec import NodeInterfaceSpec
from tests.node.packet_node_spec import PacketNodeSpec
from tests.node.receive_engine_spec import StreamSpec
from tests.node.send_scheduler_spec import FirstMessageSpec
from tests.packet.load_network_spec import LoadNetworkSpec
from tests.reduction.late_spec import LateSpec

__all__ = ["AXI", "CUBES", "LOAD_ROUTERS", "UNITS", "cube", "hold_for", "load_router", "ports", "proofs"]

CUBES = {
    "adapter/network": "node",
    "collective/network": "node",
    "crosspoint/load_network": "load_router",
    "crosspoint/network": "router",
    "multicast/load_network": "load_router",
    "multicast/network": "router",
    "multicast/self_test_network": "node",
    "node/node_network": "node",
    "packet/loaded_network": "load_router",
    "packet/network": "router",
    "reduction/load_network": "load_router",
    "reduction/network": "router",
}
"""Networks of equal nodes, and what a node is called."""

HIDDEN = {"multicast/self_test_network": ("start", "missing", "difference")}
"""Ports of nodes that a network keeps for itself."""

AXI = {
    "adapter/axi_adapter": (axi_of_adapter, "adapter"),
    "adapter/axi_network": (of_adapter, "network"),
    "adapter/axi_node": (of_adapter, "node"),
    "collective/axi_network": (of_collective, "network"),
    "collective/axi_node": (of_collective, "node"),
    "crosspoint/axi_network": (of_crosspoint, "network"),
    "crosspoint/axi_router": (of_crosspoint, "router"),
    "multicast/axi_network": (of_multicast, "network"),
    "multicast/axi_router": (of_multicast, "router"),
    "packet/axi_network": (of_packet, "network"),
    "packet/axi_router": (of_packet, "router"),
}
"""Units behind AXI ports, what those stand for, and what the unit is called."""

LOAD_ROUTERS = {
    "crosspoint/load_router": True,
    "multicast/load_router": False,
    "packet/load_router": False,
    "reduction/load_router": True,
}
"""Routers with a load node, and whether they take its packets as they are."""

COUNTERS = {
    "collective/merge_collector": "collective.merge_collector:MergeCollector",
    "common/load_node": "common.load_node:LoadNode",
    "multicast/traffic_checker": "multicast.traffic_checker:TrafficChecker",
    "node/packet_maker": "node.packet_maker:PacketMaker",
    "node/word_writer": "node.word_writer:WordWriter",
    "packet/load_node": "packet.load_node:LoadNode",
}
"""Units with counters whose upper bits no run comes to, as the proof of counters calls them."""

OTHERS = {
    "board/board_network": (BoardNetworkSpec, 2),
    "collective/vector_memory": (VectorMemorySpec, 1),
    "common/load_node": (OfferSpec, 1),
    "multicast/load_router": (HeaderSpec, 1),
    "multicast/self_test_network": (SelfTestNetworkSpec, 10),
    "multicast/self_test_node": (SelfTestNodeSpec, 2),
    "multicast/traffic_checker": (TrafficCheckerSpec, 1),
    "node/axi_node": (AxiNodeSpec, 2),
    "node/control_unit": (CopySpec, 1),
    "node/node_interface": (NodeInterfaceSpec, 2),
    "node/packet_node": (PacketNodeSpec, 2),
    "node/receive_engine": (StreamSpec, 1),
    "node/send_scheduler": (FirstMessageSpec, 1),
    "packet/load_network": (LoadNetworkSpec, 1),
    "reduction/registers": (LateSpec, 1),
}
"""Other units, what they have to promise, and the depth of the induction."""

UNITS = tuple(sorted({*CUBES, *AXI, *LOAD_ROUTERS, *COUNTERS, *OTHERS}))
"""Units with proofs at this corner."""


def _run(unit):
    """Return the first run of a unit at its first corner."""
    line, configs = units()[unit]
    return next(plan(unit, line, configs, 1)).run


def cube(unit):
    """Return what :class:`CubeWiresSpec` takes of a network of equal nodes."""
    run = _run(unit)
    return made(run.bench.component, run.config, run.extra), CUBES[unit], HIDDEN.get(unit, ())


def ports(unit):
    """Return what :class:`AxiPortsSpec` takes of a unit behind AXI ports."""
    run, (axi, called) = _run(unit), AXI[unit]
    stands_for = axi(run.config, **({"cube": True} if called == "network" else {}))
    return made(run.bench.component, run.config, run.extra), stands_for, called


def load_router(unit):
    """Return what :class:`LoadRouterSpec` takes of a load router."""
    run = _run(unit)
    return made(run.bench.component, run.config, run.extra), LOAD_ROUTERS[unit]


def _counters(unit):
    """Return what :class:`CountersSpec` takes of a unit."""
    run, (_, counters, still) = _run(unit), COUNTED[COUNTERS[unit]]
    return made(run.bench.component, run.config, run.extra), counters, still


KINDS = (
    (CUBES, CubeWiresSpec, cube, 1),
    (AXI, AxiPortsSpec, ports, 2),
    (LOAD_ROUTERS, LoadRouterSpec, load_router, 1),
    (COUNTERS, CountersSpec, _counters, 1),
)
"""Units, what they have to promise, what that takes, and the depth of the induction."""


def hold_for(unit, config, extra):
    """Return whether a unit with these parameters has proofs."""
    return unit in UNITS and (_run(unit).config, _run(unit).extra) == (config, extra)


def proofs(unit):
    """Return what is proven of a unit of :data:`UNITS`, each with the depth of the induction."""
    found = [(spec(*taken(unit)), depth) for listed, spec, taken, depth in KINDS if unit in listed]
    if unit in OTHERS:
        run, (spec, depth) = _run(unit), OTHERS[unit]
        found.append((spec(run.config, **run.extra), depth))
    return found
