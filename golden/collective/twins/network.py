"""Collective network: a hypercube of 2**n routers, each with a collective unit at its local port."""

from __future__ import annotations

from collections.abc import Collection

from cubecast.golden.collective.contract.config import CollectiveConfig
from cubecast.golden.collective.contract.registers import ADDRESS_BITS
from cubecast.golden.collective.twins.node import CollectiveNode
from cubecast.golden.common.contract.units import DATA_BITS
from cubecast.golden.common.twins.cube import Cube
from cubecast.golden.common.twins.ports import Inputs, Vectors, bits, split
from cubecast.golden.multicast.twins.network import wires

__all__ = ["CollectiveNetwork"]


class CollectiveNetwork(Cube[CollectiveNode]):
    """Twin of the collective network, a :class:`Cube`; the vectors of the units' ports are as those of the routers'.

    Parameters
    ----------
    config : CollectiveConfig
        Parameters of the nodes.
    probe : bool
        Whether the links can be seen.
    """

    def __init__(self, config: CollectiveConfig, probe: bool = False) -> None:
        """Start in reset."""
        self.config = config
        nodes, width = config.nodes, config.width
        self._places = [0] * nodes
        self._vector_out = Vectors("vector_out_", {"valid": 1, "data": width, "last": 1, "error": 1}, nodes)
        self._custom = Vectors("custom_", {"own": width, "other": width}, nodes)
        state = {"vector_in_ready": 1, "busy": 1, "failed": 1, "collective_read_data": DATA_BITS}
        self._state = Vectors("", state, nodes)
        routers = [CollectiveNode(config, node) for node in range(nodes)]
        super().__init__(routers, config.router, probe=probe, **wires(config.router))
        self._nothing |= self._vector_out.zeros | self._custom.zeros
        self._standing |= self._state.zeros

    def _clear(self) -> None:
        """Set what is kept beside the nodes to its reset value."""
        super()._clear()
        self._place, self._places = 0, [0] * self.config.nodes

    def _called(self, inputs: Inputs) -> Collection[int]:
        """Return the nodes in whose unit a register is written, or another one read."""
        called = set(bits(inputs.get("collective_write", 0)))
        place = inputs.get("collective_address", 0)
        if place != self._place:
            before, self._places = self._places, split(place, ADDRESS_BITS, self.config.nodes)
            self._place = place
            called.update(node for node, at in enumerate(self._places) if at != before[node])
        return called

    def _tell(self, node: int, inputs: Inputs) -> None:
        """Tell a node what its host does at the unit."""
        get, width, member = inputs.get, self.config.width, self.routers[node]
        vector, mask = None, (1 << width) - 1
        if get("vector_in_valid", 0) >> node & 1 and member.unit.sequencer.takes:
            vector = get("vector_in_data", 0) >> width * node & mask, get("vector_in_last", 0) >> node & 1
        place = get("collective_address", 0) >> ADDRESS_BITS * node & (1 << ADDRESS_BITS) - 1
        data = get("collective_write_data", 0) >> DATA_BITS * node & (1 << DATA_BITS) - 1
        access = place, get("collective_write", 0) >> node & 1, data
        member.tell(
            get("vector_out_ready", 0) >> node & 1, access, vector, get("custom_result", 0) >> width * node & mask
        )

    def _show(self, node: int, router: CollectiveNode, words: dict[str, int]) -> None:
        """Add the outputs of a node."""
        super()._show(node, router, words)
        unit = router.unit
        self._state.change(
            self._standing, node, (unit.sequencer.takes, unit.busy, unit.failed, unit.registers.read_data)
        )
        if unit.vector_out is not None:
            self._vector_out.add(words, node, (1, *unit.vector_out))
        if unit.merging is not None:
            self._custom.add(words, node, unit.merging)
