"""Reduction network: a hypercube of 2**n crosspoint routers with join units."""

from __future__ import annotations

from collections.abc import Collection

from cubecast.golden.common.contract.units import DATA_BITS
from cubecast.golden.common.twins.cube import Cube
from cubecast.golden.common.twins.ports import Inputs, Outputs, Vectors, bits, join, split
from cubecast.golden.crosspoint.contract.word import KIND_BITS, OPERATION_BITS
from cubecast.golden.crosspoint.twins.flit import Reduced
from cubecast.golden.crosspoint.twins.network import links_of
from cubecast.golden.reduction.contract.config import ReductionConfig
from cubecast.golden.reduction.contract.registers import ADDRESS_BITS
from cubecast.golden.reduction.twins.router import ReductionRouter, Told

__all__ = ["ReductionNetwork"]


class ReductionNetwork(Cube[ReductionRouter]):
    """Twin of the network, a :class:`Cube`.

    Parameters
    ----------
    config : ReductionConfig
        Parameters of the nodes.
    probe : bool
        Whether the links can be seen.
    """

    def __init__(self, config: ReductionConfig, probe: bool = False) -> None:
        """Start in reset."""
        self.config = config
        n, nodes, word = config.dim, config.nodes, {"data": config.width, "last": 1, "error": 1}
        own = {"data": config.width, "rop": OPERATION_BITS, "last": 1}
        self._own = [(f"own_{name}", width, (1 << width) - 1) for name, width in own.items()]
        self._result = Vectors("result_", {"valid": 1, **word}, nodes)
        self._units = Vectors("", {"own_ready": 1, "alarm": 1}, nodes)
        self._reduction_read = 0
        super().__init__(
            [ReductionRouter(config, address=node) for node in range(nodes)],
            config.router,
            inject={"valid": 1, **word, "r1": n, "r2": n, "kind": KIND_BITS},
            eject={**word, "kind": KIND_BITS},
            probe=probe,
            **links_of(config.router, reduce=True),
        )
        self._nothing |= self._result.zeros
        self._standing |= self._units.zeros

    def step(self, inputs: Inputs) -> Outputs:
        """Return this cycle's outputs and take the edge."""
        read = self._read_units(inputs)
        outputs: Outputs = {"reduction_read_data": self._reduction_read, **super().step(inputs)}
        self._reduction_read = 0 if inputs.get("rst") else read
        return outputs

    def _read_units(self, inputs: Inputs) -> int:
        """Return what the units' registers read in this cycle."""
        self._places = split(inputs.get("reduction_address", 0), ADDRESS_BITS, self.config.nodes)
        pairs = zip(self.routers, self._places, strict=True)
        return join((router.unit.read(place) for router, place in pairs), DATA_BITS)

    def _show(self, node: int, router: ReductionRouter, words: dict[str, int]) -> None:
        """Add the outputs of a router and of its unit."""
        super()._show(node, router, words)
        unit = router.unit
        self._units.change(self._standing, node, (unit.own_ready, unit.registers.alarm))
        if unit.result is not None:
            data, _, last, error = unit.result
            self._result.add(words, node, (1, data, last, error))

    def _speaking(self, inputs: Inputs) -> int:
        """Return where a packet's word is offered, or one has begun, whose error tail takes what is on the wires."""
        begun = sum(bool(node.router.injection.inside) << place for place, node in enumerate(self.routers))
        return inputs.get("inject_valid", 0) | begun

    def _called(self, inputs: Inputs) -> Collection[int]:
        """Return the nodes that offer a word to their units, or write their registers."""
        return bits(inputs.get("own_valid", 0) | inputs.get("reduction_write", 0))

    def _tell(self, node: int, inputs: Inputs) -> None:
        """Tell a node's unit what the node says."""
        get, own, write = inputs.get, None, None
        if get("own_valid", 0) >> node & 1:
            own = Reduced(*(get(name, 0) >> width * node & mask for name, width, mask in self._own))
        if get("reduction_write", 0) >> node & 1:
            data = get("reduction_write_data", 0) >> DATA_BITS * node & (1 << DATA_BITS) - 1
            write = self._places[node], data
        self.routers[node].told = Told(own, get("result_ready", 0) >> node & 1, write)
