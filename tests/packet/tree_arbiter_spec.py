"""What the tree arbiter has to promise."""

from amaranth.asserts import AnyConst, AnySeq
from amaranth.hdl import Array, Assert, Assume, C, Cover, Module, Mux, Signal
from amaranth.lib import wiring

from cubecast.golden.packet.contract.config import PacketConfig
from cubecast.rtl.packet.tree_arbiter import TreeArbiter
from tests.harness.inside import opened, register

__all__ = ["TreeArbiterSpec", "credit", "way"]


def way(count, k):
    """Return the cells from the root to requester k, as (name of the cell, side)."""
    low, high, cells = 0, count, []
    while high - low > 1:
        middle = (low + high + 1) // 2
        side = int(k >= middle)
        cells.append((f"cell_{low}_{high - 1}", side))
        low, high = (middle, high) if side else (low, middle)
    return cells


def credit(toggle, count, k):
    """Return how many grants to others may still come before requester k, as a binary number.

    A bit stands for a cell on its way, the lowest for the root, and is 1 when it is the other side's turn. A grant to
    another requester takes a bit away and sets lower ones at most, as long as k requests.
    """
    return sum(((toggle(name) ^ side) << depth for depth, (name, side) in enumerate(way(count, k))), C(0))


class TreeArbiterSpec(wiring.Component):
    """One grant if open and somebody requests, to a requester, else none; nobody waits for more than 2^D - 1 others.

    D = ceil(log2(K)). Requesters 0 and 1 share a cell: after a grant to one of them, the other goes first the next
    time that both request, whatever was granted to others or withdrawn in between.

    Parameters
    ----------
    config : PacketConfig
        Parameters of the router.
    count : int
        Number of requesters K, at least 2.
    unit : class
        The design to be checked; a broken one must be refuted.
    """

    def __init__(self, config: PacketConfig, count: int, unit=TreeArbiter):
        self.config, self.count, self.unit = config, count, unit
        super().__init__({})

    def elaborate(self, platform):
        """Count how many others are served while one chosen request waits."""
        m = Module()
        dut, count = self.unit(self.config, count=self.count), self.count
        m.submodules.dut = fragment = opened(dut)
        inside = () if self.unit is TreeArbiter else ("inner",)

        def toggle(name):
            return register(fragment, *inside, name, "toggle")

        bound = (1 << (count - 1).bit_length()) - 1
        me, waited = Signal(range(count)), Signal(range(2 * bound + 2))
        m.d.comb += [dut.request.eq(AnySeq(count)), dut.open.eq(AnySeq(1)), dut.advance.eq(AnySeq(1))]
        m.d.comb += [me.eq(AnyConst(len(me))), Assume(me < count)]
        asking = (dut.request >> me)[0]
        served = (dut.grant >> me)[0] & dut.advance
        with m.If(~asking | served):
            m.d.sync += waited.eq(0)
        with m.Elif(dut.advance & dut.open):
            m.d.sync += waited.eq(waited + 1)
        latest = Signal(2)
        with m.If(dut.advance & dut.grant[:2].any()):
            m.d.sync += latest.eq(dut.grant[:2])
        m.d.comb += [
            Assert((dut.grant & (dut.grant - 1)) == 0),
            Assert((dut.grant & ~dut.request) == 0),
            Assert(dut.grant.any() == (dut.open & dut.request.any())),
            Assert(waited <= bound),
            Assert(~dut.request[:2].all() | ((dut.grant[:2] & latest) == 0)),
            # Make both statements inductive.
            Assert(waited + Array(credit(toggle, count, k) for k in range(count))[me] <= bound),
            Assert((latest == 0) | (latest == Mux(toggle("cell_0_1"), 0b01, 0b10))),
            Cover(waited == bound),
        ]
        return m
