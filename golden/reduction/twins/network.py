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
        self._own = {"data": config.width, "rop": OPERATION_BITS, "last": 1}
        self._result = [Vectors(f"result{ending}_", {"valid": 1, **word}, nodes) for ending in config.endings]
        self._units = [Vectors("", {f"own{each}_ready": 1, f"alarm{each}": 1}, nodes) for each in config.endings]
        asked = {"valid": 1, "a": config.width, "b": config.width, "rop": OPERATION_BITS}
        self._asked = [
            [Vectors(f"operator_{stage}{ending}_", asked, nodes) for stage in (1, 2)] if config.operator_latency else []
            for ending in config.endings
        ]
        self._reduction_read = [0] * config.contexts
        super().__init__(
            [ReductionRouter(config, address=node) for node in range(nodes)],
            config.router,
            inject={"valid": 1, **word, "r1": n, "r2": n, "kind": KIND_BITS},
            eject={**word, "kind": KIND_BITS},
            probe=probe,
            **links_of(config.router, reduce=config.contexts),
        )
        for results, units in zip(self._result, self._units, strict=True):
            self._nothing |= results.zeros
            self._standing |= units.zeros

    def step(self, inputs: Inputs) -> Outputs:
        """Return this cycle's outputs and take the edge."""
        read = self._read_units(inputs)
        names = [f"reduction{ending}_read_data" for ending in self.config.endings]
        outputs: Outputs = {**dict(zip(names, self._reduction_read, strict=True)), **super().step(inputs)}
        self._reduction_read = [0] * len(read) if inputs.get("rst") else read
        return outputs | self._questions(bool(inputs.get("rst")))

    def _questions(self, reset: bool) -> Outputs:
        """Return what the operators of the nodes are asked in the cycle of the edge; in a reset nothing is compared."""
        found: dict[str, int] = {}
        for context, stages in enumerate(self._asked):
            for stage, vectors in enumerate(stages):
                found |= vectors.zeros
                for node in self.members.stirred if not reset else ():
                    operands = self.routers[node].units[context].join.operands[stage]
                    if operands is not None:
                        left, right = operands
                        vectors.add(found, node, (1, left.data, right.data, left.rop))
        return dict.fromkeys(found) if reset else {**found}

    def _read_units(self, inputs: Inputs) -> list[int]:
        """Return what the units' registers read in this cycle, by context."""
        self._places, found = [], []
        for context, ending in enumerate(self.config.endings):
            places = split(inputs.get(f"reduction{ending}_address", 0), ADDRESS_BITS, self.config.nodes)
            self._places.append(places)
            pairs = zip(self.routers, places, strict=True)
            found.append(join((router.units[context].read(place) for router, place in pairs), DATA_BITS))
        return found

    def _show(self, node: int, router: ReductionRouter, words: dict[str, int]) -> None:
        """Add the outputs of a router and of its units."""
        super()._show(node, router, words)
        for unit, units, results in zip(router.units, self._units, self._result, strict=True):
            units.change(self._standing, node, (unit.own_ready, unit.registers.alarm))
            if unit.result is not None:
                data, _, last, error = unit.result
                results.add(words, node, (1, data, last, error))

    def _speaking(self, inputs: Inputs) -> int:
        """Return where a packet's word is offered, or one has begun, whose error tail takes what is on the wires."""
        begun = sum(bool(node.router.injection.inside) << place for place, node in enumerate(self.routers))
        return inputs.get("inject_valid", 0) | begun

    def _called(self, inputs: Inputs) -> Collection[int]:
        """Return the nodes that offer a word to their units, or write their registers."""
        called = 0
        for ending in self.config.endings:
            called |= inputs.get(f"own{ending}_valid", 0) | inputs.get(f"reduction{ending}_write", 0)
        return bits(called)

    def _tell(self, node: int, inputs: Inputs) -> None:
        """Tell a node's units what the node says."""
        get, router = inputs.get, self.routers[node]
        for context, ending in enumerate(self.config.endings):
            own = write = None
            if get(f"own{ending}_valid", 0) >> node & 1:
                fields = self._own.items()
                own = Reduced(*(_item(inputs, f"own{ending}_{name}", width, node) for name, width in fields))
            if get(f"reduction{ending}_write", 0) >> node & 1:
                data = _item(inputs, f"reduction{ending}_write_data", DATA_BITS, node)
                write = self._places[context][node], data
            router.told[context] = Told(own, get(f"result{ending}_ready", 0) >> node & 1, write)
            if self._asked[context]:
                first, second = (_item(inputs, f"operator_{k}{ending}_y", self.config.width, node) for k in (1, 2))
                router.units[context].join.made = first, second


def _item(inputs: Inputs, name: str, width: int, node: int) -> int:
    """Return a node's item of a packed vector."""
    return inputs.get(name, 0) >> width * node & (1 << width) - 1
