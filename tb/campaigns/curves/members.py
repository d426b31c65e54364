"""Members: what nodes that reduce drive in each cycle, and what comes; ``members.h`` does the same in C++."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from cubecast.golden.common.contract.units import DATA_BITS
from cubecast.golden.common.twins.ports import bits, join
from cubecast.golden.reduction.algorithms.load import FACTOR, WRITTEN, Reductions, tables_of
from cubecast.golden.reduction.algorithms.tree import ReductionTree
from cubecast.golden.reduction.contract.config import ReductionConfig
from cubecast.golden.reduction.contract.registers import ADDRESS_BITS

__all__ = ["Members"]


class Members:
    """The nodes of a network that reduce: what they drive in each cycle, and what comes.

    Parameters
    ----------
    config : ReductionConfig
        Parameters of the network.
    given : Reductions
        What they do.
    tree : ReductionTree
        Along which tree.
    count : int
        How many all-reduces there are.
    """

    def __init__(self, config: ReductionConfig, given: Reductions, tree: ReductionTree, count: int) -> None:
        """Begin before the first cycle."""
        self._given, self._members, self._count = given, tree.members, count
        self._width, self._nodes = config.width, config.nodes
        self._tables = tables_of(config, tree)
        self._factors = {node: 2 * node + 1 for node in tree.members}
        self._sum = sum(self._factors.values())
        self._offered = dict.fromkeys(tree.members, 0)
        self._came = dict.fromkeys(tree.members, 0)
        self._bad = dict.fromkeys(tree.members, 0)
        self._valid = 0
        self.moved = False

    @property
    def waiting(self) -> bool:
        """Whether a member lacks results."""
        return any(came < self._count * self._given.words for came in self._came.values())

    def drive(self, cycle: int) -> dict[str, int]:
        """Return the inputs of a cycle."""
        words, mask = self._given.words, (1 << self._width) - 1
        found = {"own_valid": 0, "own_data": 0, "own_rop": 0, "own_last": 0, "result_ready": (1 << self._nodes) - 1}
        for node, place in self._offered.items():
            number = place // words
            late = self._given.late if not number and node == self._members[-1] else 0
            if number < self._count and cycle >= self._given.begin(number) + late:
                found["own_valid"] |= 1 << node
                found["own_data"] |= ((place + 1) * FACTOR * self._factors[node] & mask) << self._width * node
                found["own_last"] |= int(place % words == words - 1) << node
        self._valid = found["own_valid"]
        writes = cycle < len(WRITTEN)
        found["reduction_write"] = (1 << self._nodes) - 1 if writes else 0
        if writes:
            found["reduction_address"] = join([int(WRITTEN[cycle])] * self._nodes, ADDRESS_BITS)
            found["reduction_write_data"] = join(self._tables[WRITTEN[cycle].name], DATA_BITS)
        return found

    def saw(self, outputs: Mapping[str, Any]) -> Iterator[tuple[int, int]]:
        """Take what moved in the cycle; yield node and record of each all-reduce that is over there.

        The record is its number, and bit 32 if a result was not what it must be.
        """
        words, mask = self._given.words, (1 << self._width) - 1
        taken = self._valid & outputs["own_ready"]
        self.moved = bool(taken | outputs["result_valid"])
        for node in bits(taken):
            self._offered[node] += 1
        for node in bits(outputs["result_valid"]):
            place = self._came[node]
            self._came[node] += 1
            last = int(place % words == words - 1)
            data = outputs["result_data"] >> self._width * node & mask
            right = data == (place + 1) * FACTOR * self._sum & mask and outputs["result_last"] >> node & 1 == last
            if not right or outputs["result_error"] >> node & 1:
                self._bad[node] = 1
            if last:
                yield node, place // words | self._bad[node] << 32
                self._bad[node] = 0
