"""Tree arbiter: one of many, by a binary tree of arbiters of two."""

from amaranth import *
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

from cubecast.golden.packet.contract.config import PacketConfig
from cubecast.rtl.common.instance import place
from cubecast.rtl.packet.arbiter_cell import ArbiterCell

__all__ = ["TreeArbiter"]


class TreeArbiter(wiring.Component):
    """Grant one of the requesters, every one in its turn; combinational.

    A node of the tree has the lower half of its requesters (the larger one of unequal halves) on side 0. A lasting
    request is granted after at most 2**ceil(log2(count)) - 1 grants to others.

    Parameters
    ----------
    config : PacketConfig
        Parameters of the router.
    count : int
        Number of requesters K, at least 1.

    Ports
    -----
    request : in, K
        Who wants to be granted.
    open : in
        Grants are given at all.
    advance : in
        A grant in this cycle counts: all cells on the way to it turn to their other side.
    grant : out, K
        One-hot, or 0.

    Raises
    ------
    ValueError
        ``count`` is not an integer of at least 1.

    Source: Buzzard 1988, section 5.4.3, figure 5.6.
    """

    def __init__(self, config: PacketConfig, *, count: int):
        if type(count) is not int or count < 1:
            raise ValueError(f"count must be an integer of at least 1, not {count!r}")
        self.config = config
        self.count = count
        super().__init__({"request": In(count), "open": In(1), "advance": In(1), "grant": Out(count)})

    def elaborate(self, platform):
        """Build the tree from the root; the name of a cell is that of its requesters."""
        m = Module()
        self._node(m, 0, self.count, self.open)
        return m

    def _node(self, m, low, high, granted):
        """Grant one of the requesters from ``low`` up to ``high`` if ``granted``; return whether any of them asks."""
        if high - low == 1:
            m.d.comb += self.grant[low].eq(self.request[low] & granted)
            return self.request[low]
        cell = place(m, f"cell_{low}_{high - 1}", ArbiterCell, self.config)
        middle = (low + high + 1) // 2
        sides = ((low, middle), (middle, high))
        m.d.comb += [
            cell.request.eq(Cat(self._node(m, *side, cell.grant[i]) for i, side in enumerate(sides))),
            cell.granted.eq(granted),
            cell.advance.eq(self.advance),
        ]
        return cell.any
