"""What the two broadcasters have to do: every node gets one copy, and no more."""

from amaranth.asserts import AnySeq
from amaranth.hdl import Assert, Module, Signal
from amaranth.lib import wiring

from cubecast.golden.config import Config
from cubecast.rtl.broadcaster_fault_free import BroadcasterFaultFree
from cubecast.rtl.broadcaster_fault_tolerant import BroadcasterFaultTolerant

__all__ = ["FaultFreeSpec", "FaultTolerantSpec"]


class FaultFreeSpec(wiring.Component):
    """Dimension j is used where the relative source address is less than 2**j.

    Parameters
    ----------
    config : Config
        Gives n.
    unit : class
        The design to be checked; a broken one must be refuted.
    """

    def __init__(self, config: Config, unit=BroadcasterFaultFree):
        self.config, self.unit = config, unit
        super().__init__({})

    def elaborate(self, platform):
        """Compare with the arithmetic statement."""
        m = Module()
        m.submodules.dut = dut = self.unit(self.config)
        m.d.comb += dut.source.eq(AnySeq(self.config.dim))
        m.d.comb += [Assert(dut.send[j] == (dut.source < 1 << j)) for j in range(self.config.dim)]
        return m


class FaultTolerantSpec(wiring.Component):
    """The nodes in the care of a control vector are shared out: each to one copy, the unreachable ones to none.

    A node is named by the set of dimensions that lead to it, a non-empty part of the control vector. It can be reached
    unless all of them are faulty. The copy in dimension j takes care of the sets that hold j and else only dimensions
    of its own control vector.

    Parameters
    ----------
    config : Config
        Gives n.
    unit : class
        The design to be checked; a broken one must be refuted.
    """

    def __init__(self, config: Config, unit=BroadcasterFaultTolerant):
        self.config, self.unit = config, unit
        super().__init__({})

    def elaborate(self, platform):
        """Count the copies that take care of one free node."""
        m = Module()
        n = self.config.dim
        m.submodules.dut = dut = self.unit(self.config)
        node, copies = Signal(n), Signal(range(n + 1))
        m.d.comb += [dut.control.eq(AnySeq(n)), dut.fault.eq(AnySeq(n)), node.eq(AnySeq(n))]
        vectors = [dut.controls.word_select(j, n) for j in range(n)]
        takes = [dut.send[j] & node[j] & ((node & ~vector & ~(1 << j)) == 0) for j, vector in enumerate(vectors)]
        inside = (node != 0) & ((node & ~dut.control) == 0)
        m.d.comb += [
            copies.eq(sum(takes)),
            Assert((dut.send & dut.fault) == 0),
            Assert(copies == (inside & ((node & ~dut.fault) != 0))),
        ]
        return m
