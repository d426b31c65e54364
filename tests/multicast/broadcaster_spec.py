"""What the two broadcasters have to do: the loop of the published algorithm, and a copy for every node."""

from amaranth.asserts import AnySeq
from amaranth.hdl import Assert, C, Cover, Module, Mux, Signal

from cubecast.rtl.multicast.broadcaster_fault_free import BroadcasterFaultFree
from cubecast.rtl.multicast.broadcaster_fault_tolerant import BroadcasterFaultTolerant
from tests.harness.spec import Spec
from tests.multicast.policy_spec import POLICIES

__all__ = ["FaultFreeSpec", "FaultTolerantSpec"]


class FaultFreeSpec(Spec):
    """A dimension is used if neither it nor one that is served after it at the source has been crossed.

    Parameters
    ----------
    config : Config
        Gives n and the policy.
    """

    unit = BroadcasterFaultFree

    def elaborate(self, platform):
        """Go through the dimensions, the last served first."""
        m = Module()
        n, policy = self.config.dim, POLICIES[self.config.policy]
        m.submodules.dut = dut = self.unit(self.config)
        address, used, crossed = Signal(n), C(0, n), C(0, 1)
        m.d.comb += [dut.source.eq(AnySeq(n)), address.eq(AnySeq(n))]
        m.d.comb += [getattr(dut, name).eq(value) for name, value in policy.straps(address).items()]
        for j, turn in reversed(list(policy.served(n, address ^ dut.source))):
            crossed = crossed | turn & dut.source[j]
            used = used | (turn & ~crossed) << j
        m.d.comb += [Assert(dut.send == used[:n]), Cover(dut.send.any() & ~dut.send.all())]
        m.d.comb += policy.also(dut)
        return m


class FaultTolerantSpec(Spec):
    """The copies are those of the loop of BROADCAST.F3, and each node in the care of the vector has one copy to itself.

    A node is named by the set of dimensions that lead to it, a non-empty part of the control vector. It can be reached
    unless all of them are faulty. The copy in dimension j takes care of the sets that hold j and else only dimensions
    of its own control vector.

    Parameters
    ----------
    config : Config
        Gives n and the policy.
    """

    unit = BroadcasterFaultTolerant

    def elaborate(self, platform):
        """Run the loop, and count the copies that take care of one free node."""
        m = Module()
        n, policy = self.config.dim, POLICIES[self.config.policy]
        m.submodules.dut = dut = self.unit(self.config)
        node, copies, address = Signal(n), Signal(range(n + 1)), Signal(n)
        m.d.comb += [signal.eq(AnySeq(n)) for signal in (dut.control, dut.fault, node, address)]
        m.d.comb += [getattr(dut, name).eq(value) for name, value in policy.straps(address).items()]
        vectors = [dut.controls.word_select(j, n) for j in range(n)]
        later = dut.control
        for j, turn in policy.served(n, address):
            later = Mux(turn, later & ~C(1 << j, n), later)
            m.d.comb += Assert(~turn | (vectors[j] == (later | dut.control & dut.fault)))
        takes = [dut.send[j] & node[j] & ((node & ~vector & ~(1 << j)) == 0) for j, vector in enumerate(vectors)]
        inside = (node != 0) & ((node & ~dut.control) == 0)
        m.d.comb += [
            copies.eq(sum(takes)),
            Assert(dut.send == (dut.control & ~dut.fault)),
            Assert(copies == (inside & ((node & ~dut.fault) != 0))),
            Cover((copies == 1) & (node & dut.fault).any()),
            Cover(inside & (copies == 0)),
        ]
        return m
