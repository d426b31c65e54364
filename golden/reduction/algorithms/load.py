"""Load of reductions: all-reduces that the nodes of a network begin now and then."""

from __future__ import annotations

import dataclasses

from cubecast.golden.common.contract.parameters import integer, store_plain
from cubecast.golden.crosspoint.contract.config import CrosspointConfig
from cubecast.golden.reduction.algorithms.tables import tree_tables
from cubecast.golden.reduction.algorithms.tree import ReductionTree
from cubecast.golden.reduction.contract.config import ReductionConfig
from cubecast.golden.reduction.contract.registers import Register

__all__ = ["BEGIN", "FACTOR", "WRITTEN", "Reductions", "joined", "tables_of"]

BEGIN = 100
"""Cycle of the first all-reduce; before it the registers of the join units are written, and their flags come up."""

FACTOR = 0x9E3779B1
"""Word i of all words that node v offers, counted from 1, is i FACTOR (2 v + 1), so that each sum tells which words it
is made of."""

WRITTEN = (Register.TREE, Register.CTRL)
"""Registers that are written, one a cycle from cycle 0 on."""

MOST_WORDS, MOST_PERIOD = 1 << 16, 10_000_000


@dataclasses.dataclass(frozen=True, kw_only=True)
class Reductions:
    """All-reduces, sums, of all nodes, each of which offers its words as soon as it can.

    Parameters
    ----------
    words : int
        Words of each, 1 to 65,536.
    period : int
        Cycles from one to the next, 1 to 10,000,000; one that is not over then is followed without a gap.
    count : int
        How many there are; 0: as long as packets are sent.
    late : int
        Cycles that the node with the highest address begins the first one later than the others.

    Raises
    ------
    ValueError
        A value is out of range.
    """

    words: int
    period: int
    count: int = 0
    late: int = 0

    def __post_init__(self) -> None:
        """Check everything."""
        store_plain(self)
        integer("words of a reduction", self.words, 1, MOST_WORDS)
        integer("period of reductions", self.period, 1, MOST_PERIOD)
        integer("count", self.count, 0, MOST_PERIOD)
        integer("late", self.late, 0, MOST_PERIOD)

    def begin(self, number: int) -> int:
        """Return the cycle in which an all-reduce begins."""
        return BEGIN + number * self.period

    def number(self, cycles: int) -> int:
        """Return how many begin if packets are sent for so many cycles."""
        most = max(0, -(-(cycles - BEGIN) // self.period))
        return min(most, self.count) if self.count else most


def joined(config: CrosspointConfig) -> ReductionConfig:
    """Return the parameters of nodes with such a router and a join unit."""
    return ReductionConfig(router=config)


def tables_of(config: ReductionConfig, tree: ReductionTree) -> dict[str, list[int]]:
    """Return what is written into the registers of :data:`WRITTEN`, by their name, an item for each node."""
    tables = tree_tables(config, tree)
    nothing = {"TREE": 0xFFF, "CTRL": 0}
    return {
        register.name: [tables.get(node, nothing)[register.name] for node in range(config.nodes)]
        for register in WRITTEN
    }
