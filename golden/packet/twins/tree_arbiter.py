"""Tree arbiter: one of K requesters, by 1-of-2 arbiters in a binary tree."""

from __future__ import annotations

from cubecast.golden.common.twins.ports import Inputs, Outputs
from cubecast.golden.packet.contract.config import PacketConfig

__all__ = ["TreeArbiter"]


class TreeArbiter:
    """Twin of the tree arbiter; the grant is combinational, the toggles of the cells are registers.

    Cells are numbered from the root on, a cell's number being less than those below it.

    Parameters
    ----------
    config : PacketConfig
        Parameters of the router.
    count : int
        Number of requesters.

    Source: Buzzard 1988, section 5.4.3, figure 5.6.
    """

    def __init__(self, config: PacketConfig, count: int) -> None:
        """Start in reset."""
        self.config = config
        self.count = count
        # Of a cell: the masks of its two sides, and what is below each: a cell's number, or ~requester.
        self._cells: list[tuple[tuple[int, int], tuple[int, int]]] = []
        self._root = self._grow(0, count)
        self.reset()

    def _grow(self, low: int, high: int) -> int:
        """Make the cells over requesters ``low`` to ``high - 1``; return the upper one's number, or ~requester."""
        if high - low == 1:
            return ~low
        middle = low + (high - low + 1) // 2
        place = len(self._cells)
        masks = (1 << middle) - (1 << low), (1 << high) - (1 << middle)
        self._cells.append((masks, (0, 0)))
        self._cells[place] = masks, (self._grow(low, middle), self._grow(middle, high))
        return place

    def reset(self) -> None:
        """Let side 0 win the next tie in every cell."""
        self.toggles = [0] * len(self._cells)

    def grant(self, request: int, opened: int = 1) -> int:
        """Return the index of the granted requester, -1 if nobody requests or it is not open."""
        if not request or not opened:
            return -1
        place = self._root
        while place >= 0:
            (low, high), below = self._cells[place]
            side = (self.toggles[place] if request & low else 1) if request & high else 0
            place = below[side]
        return ~place

    def order(self) -> list[int]:
        """Return the requesters, the one that is granted before all others first."""
        return self._order_below(self._root)

    def _order_below(self, place: int) -> list[int]:
        """Return the order of the requesters below a cell: a side that would win a tie comes before the other."""
        if place < 0:
            return [~place]
        _, below = self._cells[place]
        first = self.toggles[place]
        return [*self._order_below(below[first]), *self._order_below(below[1 - first])]

    def advance(self, request: int, granted: int) -> None:
        """Take the edge of a cycle in which ``granted`` used its turn."""
        place = self._root
        while place >= 0:
            (_, high), below = self._cells[place]
            side = high >> granted & 1
            self.toggles[place] = 1 - side
            place = below[side]

    def step(self, inputs: Inputs) -> Outputs:
        """Return this cycle's outputs and take the edge."""
        request = inputs.get("request", 0)
        granted = self.grant(request, inputs.get("open", 0))
        if inputs.get("rst"):
            self.reset()
        elif inputs.get("advance") and granted >= 0:
            self.advance(request, granted)
        return {"grant": 1 << granted if granted >= 0 else 0}
