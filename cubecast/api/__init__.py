"""The Python side of cubecast: cubes, routes, simulations, loads, merges, rings and Verilog, as functions.

``import cubecast as cc`` has all these names; :mod:`cubecast` lists them. Bad arguments raise :class:`ValueError` with
one line that names the parameter, its value and what is allowed, tools that are missing or fail :class:`ToolError`.
"""

from cubecast.api.collectives import NoSinkError, Operation, Reduction, Ring, reduce, ring
from cubecast.api.cube import Cube
from cubecast.api.generation import generate
from cubecast.api.loading import Arrival, Load, Point, Reductions, Traffic, load
from cubecast.api.routing import Plan, Policy, Tree, route, route_packets
from cubecast.api.simulation import Delivery, Link, Message, Simulation, simulate
from cubecast.api.tables import columns
from cubecast.golden.adapter.contract.config import AdapterConfig
from cubecast.golden.collective.contract.config import CollectiveConfig
from cubecast.golden.common.algorithms.load import Lists
from cubecast.golden.crosspoint.contract.config import CrosspointConfig
from cubecast.golden.multicast.contract.config import Config as MulticastConfig
from cubecast.golden.node.contract.config import NodeConfig
from cubecast.golden.packet.contract.config import PacketConfig
from cubecast.options.usage import ToolError

__all__ = [
    "AdapterConfig",
    "Arrival",
    "CollectiveConfig",
    "CrosspointConfig",
    "Cube",
    "Delivery",
    "Link",
    "Lists",
    "Load",
    "Message",
    "MulticastConfig",
    "NoSinkError",
    "NodeConfig",
    "Operation",
    "PacketConfig",
    "Plan",
    "Point",
    "Policy",
    "Reduction",
    "Reductions",
    "Ring",
    "Simulation",
    "ToolError",
    "Traffic",
    "Tree",
    "columns",
    "generate",
    "load",
    "reduce",
    "ring",
    "route",
    "route_packets",
    "simulate",
]
