"""What the multicaster and, under ``ordered``, the eligibility before it have to do."""

from amaranth.asserts import AnySeq
from amaranth.hdl import Assert, C, Cat, Const, Cover, Module, Mux, Signal

from cubecast.rtl.multicast.eligibility import Eligibility
from cubecast.rtl.multicast.multicaster import Multicaster
from tests.harness.spec import Spec, drive

__all__ = ["EligibilitySpec", "MulticasterSpec"]


class EligibilitySpec(Spec):
    """A row votes for all hops it needs and can make that clear a bit, if there are any, else for those that set one.

    Parameters
    ----------
    config : Config
        Gives n and m.
    """

    unit = Eligibility

    def elaborate(self, platform):
        """State it for any dimension of any row."""
        m = Module()
        n = self.config.dim
        m.submodules.dut = dut = self.unit(self.config)
        drive(m, dut.a, dut.address, dut.fault)
        for i in range(self.config.max_dest):
            row, votes = dut.a.word_select(i, n), dut.votes.word_select(i, n)
            clears = [row[j] & dut.address[j] & ~dut.fault[j] for j in range(n)]
            sets = [row[j] & ~dut.address[j] & ~dut.fault[j] for j in range(n)]
            some = sum(clears) != 0
            m.d.comb += [Cover(some & (sum(sets) != 0)), Cover(~some & (row & dut.address).any() & votes.any())]
            m.d.comb += [Assert(votes[j] == Mux(some, clears[j], sets[j])) for j in range(n)]
        return m


class MulticasterSpec(Spec):
    """For every array and fault vector: the fault-free column with the largest sum, the lowest of equals, and its rows.

    With ``decision_latency`` = d, the sums are those of d - 1 cycles before, and nothing is said of the first ones.

    Parameters
    ----------
    config : Config
        Gives n and m.
    """

    unit = Multicaster

    def elaborate(self, platform):
        """State the column sums, their maximum, and what follows from them."""
        m = Module()
        m.submodules.dut = dut = self.unit(self.config)
        n, rows = self.config.dim, self.config.max_dest
        m.d.comb += [dut.a.eq(AnySeq(n * rows)), dut.fault.eq(AnySeq(n))]
        bits = [[dut.a[n * row + column] for column in range(n)] for row in range(rows)]
        zero = C(0, rows.bit_length())
        sums = [Signal(rows.bit_length(), name=f"sum_{column}") for column in range(n)]
        for column, total in enumerate(sums):
            m.d.comb += total.eq(Mux(dut.fault[column], zero, sum(row[column] for row in bits)))
        best, chosen, tie = zero, Const(n, range(n + 1)), C(0)
        for column in reversed(range(n)):
            better = sums[column] >= best
            tie = Mux(sums[column] == best, 1, tie & ~better)
            best, chosen = Mux(better, sums[column], best), Mux(better, column, chosen)
        # With two columns a tie leaves none that could be faulty.
        faulty = (
            C(1)
            if n == 2
            else Cat(dut.fault[column] & Cat(row[column] for row in bits).all() for column in range(n)).any()
        )
        begun, tie = C(1), tie & (best != 0) & faulty
        for _ in range(self.config.decision_latency - 1):
            now = (begun, best, chosen, tie)
            begun, best, chosen, tie = Signal(), Signal.like(zero), Signal(range(n + 1)), Signal()
            m.d.sync += [before.eq(value) for before, value in zip((begun, best, chosen, tie), now, strict=True)]
        m.d.comb += Cover(tie & dut.r.any())
        with m.If(begun):
            self._promise(m, dut, best, chosen)
        return m

    def _promise(self, m, dut, best, chosen):
        """State the outputs for the largest sum and its column."""
        n, rows = self.config.dim, self.config.max_dest
        m.d.comb += Assert(dut.terminate == (best == 0))
        for column in range(n):
            m.d.comb += Assert(dut.y[column] == ((best != 0) & (chosen == column)))
        with m.If(best != 0):
            for row in range(rows):
                m.d.comb += Assert(dut.r[row] == (dut.a.word_select(row, n) >> chosen)[0])
        with m.Else():
            m.d.comb += Assert(dut.r == 0)
        m.d.comb += Assert(dut.k == best)
