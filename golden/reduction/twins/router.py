"""Reduction router: a crosspoint router and the join units beside it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from cubecast.golden.common.twins.cube import CubeNode, access
from cubecast.golden.common.twins.ports import Inputs, Outputs
from cubecast.golden.crosspoint.twins.flit import Head, Link, Reduced, link_input
from cubecast.golden.crosspoint.twins.router import CrosspointRouter, far_flags
from cubecast.golden.reduction.contract.config import ReductionConfig
from cubecast.golden.reduction.twins.unit import ReductionUnit

__all__ = ["SILENT", "ReductionRouter", "Told"]

HIDDEN = "reduce"
"""Ports of the router that lead to the units begin with it."""


class Told(NamedTuple):
    """What a node says to a join unit in a cycle: a word, whether it takes a result, and a write to its registers."""

    own: Reduced | None = None
    result_ready: int = 0
    write: tuple[int, int] | None = None


SILENT = Told()
"""A node that says nothing."""


class ReductionRouter(CubeNode[CrosspointRouter]):
    """Twin of a crosspoint router with join units: its ``router`` and its ``units``, one for each context.

    A cycle has two halves, as the router's, whose attributes of the same names are meant. What the node says to each
    unit, ``told``, is set before :meth:`edge`.

    Parameters
    ----------
    config : ReductionConfig
        Parameters of the node.
    address : int
        Address of the node.
    """

    def __init__(self, config: ReductionConfig, address: int = 0) -> None:
        """Start in reset."""
        self.config = config
        super().__init__(CrosspointRouter(config.router, address, reduce=config.contexts))
        self.units = [ReductionUnit(config) for _ in config.endings]
        self.told = [SILENT] * config.contexts

    def reset(self) -> None:
        """Set all registers to their reset values."""
        self.router.reset()
        for unit in self.units:
            unit.reset()

    @property
    def inject_ready(self) -> int:
        """Whether a word of a packet is taken from the node."""
        return self.router.inject_ready

    @property
    def ejected(self) -> Sequence[int] | None:
        """The word of a packet that the node is shown."""
        return self.router.ejected

    @property
    def resting(self) -> bool:
        """Whether nothing happens by itself."""
        return self.router.resting and all(unit.resting for unit in self.units)

    def quiet(self) -> bool:
        """Return whether nothing is under way: no packet, no report, and no word in a unit."""
        return self.router.quiet() and all(unit.idle for unit in self.units)

    def offer(self, far: Sequence[tuple[int, ...]], eject_ready: int) -> None:
        """Find what goes out in this cycle, given what the far ends show and whether the node takes a packet's word."""
        for unit in self.units:
            unit.offer()
        requests = zip(*(unit.requests for unit in self.units), strict=True)
        self.router.offered = [words if any(word is not None for word in words) else () for words in requests]
        self.router.offer(far, eject_ready)

    def edge(
        self,
        arriving: Sequence[Link],
        down: int = 0,
        word: Sequence[int] | None = None,
        write: tuple[int, int] | None = None,
    ) -> None:
        """Take the edge of the cycle of :meth:`offer`; parameters as those of the router."""
        router = self.router
        heard = [router.heard(arriving, context) for context in range(len(self.units))]
        cut = router.control.cut if self.config.router.loses_words else 0
        router.edge(arriving, down, word, write)
        for unit, words, taken, told in zip(self.units, heard, router.reduced, self.told, strict=True):
            unit.edge(words, taken, *told, cut)
        router.reduce_ready = [unit.ready_r for unit in self.units]

    def step(self, inputs: Inputs) -> Outputs:
        """Return this cycle's outputs and take the edge."""
        get, n, router = inputs.get, self.config.dim, self.router
        pairs = list(zip(self.units, [named(inputs, ending) for ending in self.config.endings], strict=True))
        router.address = get("address", 0)
        # Before the events of this cycle are counted.
        read_data = router.control.read(get("control__address", 0))
        unit_reads = [unit.read(own.get("reduction__address", 0)) for unit, own in pairs]
        self.offer(far_flags(n, inputs, len(pairs)), get("eject__ready", 0))
        outputs: Outputs = {name: value for name, value in router.ports().items() if not name.startswith(HIDDEN)}
        for (unit, _), ending in zip(pairs, self.config.endings, strict=True):
            outputs |= called(unit.shown(), ending)
        if get("rst"):
            self.reset()
            for (unit, _), ending in zip(pairs, self.config.endings, strict=True):
                outputs |= called(unit.join.unasked(), ending)
            return outputs
        router.control.read_data = read_data
        for place, ((unit, own), read) in enumerate(zip(pairs, unit_reads, strict=True)):
            unit.registers.read_data = read
            self.told[place] = Told(*unit.hear(own, "reduction"))
        down = sum(get(f"link_in__{j}__down", 0) << j for j in range(n))
        word = [get(f"inject__{name}", 0) for name in ("valid", *Head._fields)]
        self.edge([link_input(f"link_in__{j}", inputs) for j in range(n)], down, word, access(inputs))
        for (unit, _), ending in zip(pairs, self.config.endings, strict=True):
            outputs |= called(unit.join.asked(), ending)
        return outputs


PARTS = ("own", "result", "reduction", "operator_1", "operator_2")
"""Streams and registers that the node has for each context."""


def called(outputs: Outputs, ending: str) -> Outputs:
    """Return outputs of a unit as a node with several has them."""
    if not ending:
        return outputs
    parts = {name: name.partition("__") for name in outputs}
    return {f"{first}{ending}{between}{rest}": outputs[name] for name, (first, between, rest) in parts.items()}


def named(inputs: Inputs, ending: str) -> Inputs:
    """Return the inputs of one context, as a unit alone has them."""
    if not ending:
        return inputs
    found: dict[str, int] = {}
    for part in PARTS:
        before = f"{part}{ending}__"
        found |= {f"{part}__{name.removeprefix(before)}": inputs[name] for name in inputs if name.startswith(before)}
    return found
