"""Reduction router: a crosspoint router and the join unit beside it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from cubecast.golden.common.twins.cube import CubeNode, access
from cubecast.golden.common.twins.ports import Inputs, Outputs
from cubecast.golden.crosspoint.twins.flit import Head, Link, Reduced, link_input
from cubecast.golden.crosspoint.twins.router import CrosspointRouter, far_flags
from cubecast.golden.reduction.contract.config import ReductionConfig
from cubecast.golden.reduction.twins.join import made_by
from cubecast.golden.reduction.twins.unit import ReductionUnit, own_input, result_outputs

__all__ = ["SILENT", "ReductionRouter", "Told"]

HIDDEN = "reduce"
"""Ports of the router that lead to the unit begin with it."""


class Told(NamedTuple):
    """What a node says to its join unit in a cycle: a word, whether it takes a result, and a write to its registers."""

    own: Reduced | None = None
    result_ready: int = 0
    write: tuple[int, int] | None = None


SILENT = Told()
"""A node that says nothing."""


class ReductionRouter(CubeNode[CrosspointRouter]):
    """Twin of a crosspoint router with a join unit: its ``router`` and its ``unit``.

    A cycle has two halves, as the router's, whose attributes of the same names are meant. What the node says to the
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
        super().__init__(CrosspointRouter(config.router, address, reduce=True))
        self.unit = ReductionUnit(config)
        self.told = SILENT

    def reset(self) -> None:
        """Set all registers to their reset values."""
        self.router.reset()
        self.unit.reset()

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
        return self.router.resting and self.unit.resting

    def quiet(self) -> bool:
        """Return whether nothing is under way: no packet, no report, and no word in the unit."""
        return self.router.quiet() and self.unit.idle

    def offer(self, far: Sequence[tuple[int, ...]], eject_ready: int) -> None:
        """Find what goes out in this cycle, given what the far ends show and whether the node takes a packet's word."""
        self.unit.offer()
        self.router.offered = self.unit.requests
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
        heard = router.heard(arriving)
        router.edge(arriving, down, word, write)
        self.unit.edge(heard, router.reduced, *self.told)
        router.reduce_ready = self.unit.ready_r

    def step(self, inputs: Inputs) -> Outputs:
        """Return this cycle's outputs and take the edge."""
        get, n, router, unit = inputs.get, self.config.dim, self.router, self.unit
        router.address = get("address", 0)
        address = get("reduction__address", 0)
        # Before the events of this cycle are counted.
        read_data, unit_read = router.control.read(get("control__address", 0)), unit.read(address)
        self.offer(far_flags(n, inputs, reduce=True), get("eject__ready", 0))
        outputs: Outputs = {name: value for name, value in router.ports().items() if not name.startswith(HIDDEN)}
        outputs |= {"own__ready": unit.own_ready, "alarm": unit.registers.alarm, **result_outputs(unit.result)}
        outputs["reduction__read_data"] = unit.registers.read_data
        if get("rst"):
            self.reset()
            return outputs | unit.join.unasked()
        router.control.read_data, unit.registers.read_data = read_data, unit_read
        written = (address, get("reduction__write_data", 0)) if get("reduction__write") else None
        self.told = Told(own_input(inputs), get("result__ready", 0), written)
        down = sum(get(f"link_in__{j}__down", 0) << j for j in range(n))
        word = [get(f"inject__{name}", 0) for name in ("valid", *Head._fields)]
        unit.join.made = made_by(inputs)
        self.edge([link_input(f"link_in__{j}", inputs) for j in range(n)], down, word, access(inputs))
        outputs |= unit.join.asked()
        return outputs
