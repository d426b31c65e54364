"""Node network: a hypercube of 2**n packet nodes."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

from cubecast.golden.common.contract import units
from cubecast.golden.common.contract.units import DATA_BITS
from cubecast.golden.common.twins.ports import Inputs, Outputs, join, split
from cubecast.golden.node.contract.config import NodeConfig
from cubecast.golden.node.contract.registers import ADDRESS_BITS
from cubecast.golden.node.twins.node_interface import NodeInterface
from cubecast.golden.node.twins.packet_node import from_router
from cubecast.golden.packet.contract.packet import KIND_BITS
from cubecast.golden.packet.twins.network import PacketNetwork
from cubecast.golden.packet.twins.router import PacketRouter

__all__ = ["INPUTS", "OUTPUTS", "Node", "NodeNetwork"]

INPUTS = {
    "doorbell": {"valid": 1, "instruction": 3, "address": 32},
    "read": {"ready": 1},
    "data": {"valid": 1, "word": 32, "error": 1},
    "write": {"ready": 1},
    "watch": {"valid": 1, "address": 32, "size": 2},
    "control": {"address": ADDRESS_BITS, "write": 1, "write_data": DATA_BITS},
    "": {"done": 1, "done_error": 1},
}
"""Inputs of every node, with their widths."""

OUTPUTS = {
    "doorbell": {"ready": 1},
    "read": {"valid": 1, "address": 30, "beats": 4},
    "write": {"valid": 1, "address": 30, "data": 32, "strobe": 4},
    "control": {"read_data": DATA_BITS},
    "": {"early": 1, "irq": 1},
}
"""Outputs of every node that are not the router's, with their widths."""

WAKING = ("doorbell__valid", "data__valid", "done", "watch__valid", "control__write", "eject__valid", "report__valid")
"""Inputs of an interface of which one that is not 0 is news."""


def ports_of(groups: dict[str, dict[str, int]]) -> list[tuple[str, str, int]]:
    """Return the ports of a node, by name as of a network and as of a node, with their widths."""
    return [
        (f"{stream}_{name}", f"{stream}__{name}", width) if stream else (name, name, width)
        for stream, names in groups.items()
        for name, width in names.items()
    ]


class Node(NamedTuple):
    """A node of a network."""

    router: PacketRouter
    interface: NodeInterface


class NodeNetwork:
    """Twin of the node network; ports are vectors with an item for each node.

    The payload of an output stream is 0 in the item of a node whose valid bit is 0. ``awake`` are the interfaces in
    which something may have happened in the cycle before.

    Parameters
    ----------
    config : NodeConfig
        Parameters of the nodes.
    probe : bool
        Whether the links can be seen.

    Source: Buzzard 1988, section 5.1 (the hypercube) and figure 5.1.
    """

    def __init__(self, config: NodeConfig, probe: bool = False) -> None:
        """Start in reset."""
        self.config = config
        self.packets = PacketNetwork(config.router, probe=probe, kinds=True)
        self.nodes = [Node(router, NodeInterface(config)) for router in self.packets.routers]
        self._inputs, self._outputs = ports_of(INPUTS), ports_of(OUTPUTS)
        self._words = {"valid": 1, "data": config.width, "last": 1, "slots": config.dim, "kind": KIND_BITS}
        self.awake: list[NodeInterface] = []
        self._reset()

    def _reset(self) -> None:
        """Set what is beside the nodes to its reset value."""
        self._upper = [0] * self.config.nodes
        # The register that is read at a node in which nothing has happened for a cycle, and what it shows since.
        self._calm: list[int | None] = [None] * self.config.nodes
        self._shown: list[Outputs] = [{} for _ in range(self.config.nodes)]

    def quiet(self) -> bool:
        """Return whether nothing moves in routers and interfaces; messages and receives may wait, no timeout is due."""
        return self.packets.quiet() and all(node.interface.quiet for node in self.nodes)

    def trace(self) -> str:
        """Return where packets are."""
        return self.packets.trace()

    def of_nodes(self, inputs: Inputs) -> list[dict[str, int]]:
        """Return the inputs of the nodes one by one."""
        found: list[dict[str, int]] = [{} for _ in self.nodes]
        for vector, name, width in self._inputs:
            value = inputs.get(vector, 0)
            if value:
                for node, own in enumerate(split(value, width, self.config.nodes)):
                    found[node][name] = own
        return found

    def step(self, inputs: Inputs) -> Outputs:
        """Return this cycle's outputs and take the edge."""
        nodes, rst = self.config.nodes, inputs.get("rst", 0)
        given = self.of_nodes(inputs)
        told = [self._show(node, given[node], rst) for node in range(nodes)]
        outputs = self._packed()
        routers = self.packets.step(self._to_routers(given, rst))
        self.awake = [node.interface for node, own in zip(self.nodes, told, strict=True) if own is not None]
        for node, (_, interface) in enumerate(self.nodes):
            own = told[node]
            if own is None:
                self._calm[node] = self._calm[node] if interface.rest() else None
            else:
                calm = not any(own.get(name) for name in WAKING) and interface.resting
                interface.edge(own, self._shown[node])
                # What was read in this cycle shows in the next one: until then there is news.
                calm &= interface.resting and interface.registers.read_data == self._shown[node]["control__read_data"]
                self._calm[node] = own.get("control__address", 0) if calm else None
        read = split(routers["control_read_data"] or 0, DATA_BITS, nodes)
        mine = split(outputs["control_read_data"] or 0, DATA_BITS, nodes)
        chosen = (own if upper else other for own, other, upper in zip(mine, read, self._upper, strict=True))
        outputs["control_read_data"] = join(chosen, DATA_BITS)
        self._upper = [own.get("control__address", 0) >> units.ADDRESS_BITS for own in given]
        if rst:
            self._reset()
        hidden = ("inject_", "eject_", "control_")
        return {name: value for name, value in routers.items() if not name.startswith(hidden)} | outputs

    def told(self, node: int, given: Mapping[str, int]) -> dict[str, int]:
        """Return the inputs of a node's interface in this cycle, given those of the node."""
        upper = given.get("control__address", 0) >> units.ADDRESS_BITS
        written = given.get("control__write", 0) & upper
        return {**given, **from_router(self.nodes[node].router), "control__write": written, "address": node}

    def _show(self, node: int, given: dict[str, int], rst: int) -> Inputs | None:
        """Find what a node shows; return what its interface is told, None if nothing changes in it."""
        interface, register = self.nodes[node].interface, given.get("control__address", 0)
        told = self.told(node, given) | {"rst": rst}
        if not rst and self._calm[node] == register and not any(told.get(name) for name in WAKING):
            return None
        self._shown[node] = interface.show(told)
        return told

    def _packed(self) -> Outputs:
        """Return the outputs of all interfaces as vectors; payload that is not compared is 0."""
        found: Outputs = {}
        for vector, name, width in self._outputs:
            found[vector] = join((shown[name] or 0 for shown in self._shown), width)
        return found

    def _to_routers(self, given: list[dict[str, int]], rst: int) -> Inputs:
        """Return the inputs of the network of routers."""
        address, mask = [own.get("control__address", 0) for own in given], (1 << units.ADDRESS_BITS) - 1
        write = [
            own.get("control__write", 0) & ~(place >> units.ADDRESS_BITS)
            for own, place in zip(given, address, strict=True)
        ]
        found = {
            "rst": rst,
            "control_address": join((place & mask for place in address), units.ADDRESS_BITS),
            "control_write": join(write, 1),
            "control_write_data": join((own.get("control__write_data", 0) for own in given), DATA_BITS),
            "eject_ready": join((shown["eject__ready"] or 0 for shown in self._shown), 1),
        }
        for name, width in self._words.items():
            found[f"inject_{name}"] = join((shown[f"inject__{name}"] or 0 for shown in self._shown), width)
        return found
