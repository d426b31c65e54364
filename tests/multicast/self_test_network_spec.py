"""What the self-test network has to promise about what it says at the end of a run, whatever its nodes do."""

from functools import reduce
from operator import add

from amaranth.hdl import Array, Assert, Cat, Cover, Module, Signal
from amaranth.lib import wiring

from cubecast.golden.common.contract.units import DATA_BITS
from cubecast.rtl.common import cube
from cubecast.rtl.multicast.self_test_network import SelfTestNetwork
from tests.harness.inside import emptying, freed, opened, register, unit

__all__ = ["SelfTestNetworkSpec"]

SUMS = ("missing", "difference")


class SelfTestNetworkSpec(wiring.Component):
    """It has passed once all nodes have been idle for a round, none has failed, and what they miss adds up to nothing.

    A node's numbers are those of the cycle in which it is visited. Nodes are emptied.

    Parameters
    ----------
    config : Config
        Parameters of the routers.
    left_out : int
        Nodes at the start of a round that are not added; but for 0 it must be refuted.
    probe : bool
        Of a network that also brings out the links.
    """

    def __init__(self, config, left_out=0, probe=False):
        self.config, self.left_out, self.probe = config, left_out, probe
        super().__init__({})

    def elaborate(self, platform):
        """Keep the numbers of the last round, and add them."""
        m = Module()
        self.dut = network = SelfTestNetwork(self.config, probe=self.probe)
        count = self.config.nodes
        with emptying(cube):
            m.submodules.dut = fragment = opened(network)
        freed(m, network)
        nodes = [unit(fragment, f"node_{v}") for v in range(count)]
        rest = Cat(node.idle for node in nodes).all()
        turn, passed = Signal(self.config.dim), Signal()
        nothing = ~Cat(node.failed for node in nodes).any()
        for name in SUMS:
            own = Array(getattr(node, name) for node in nodes)[turn]
            before = [Signal(DATA_BITS, name=f"{name}_{age}") for age in range(1, count)]
            m.d.sync += [older.eq(newer) for older, newer in zip(before, [own, *before[:-1]], strict=True)]
            added = [own, *before][: count - self.left_out]
            nothing &= reduce(add, reversed(added))[:DATA_BITS] == 0
        with m.If(~rest):
            m.d.sync += [turn.eq(0), passed.eq(0)]
        with m.Else():
            m.d.sync += turn.eq(turn + 1)
            with m.If(turn == count - 1):
                m.d.sync += passed.eq(nothing)
        m.d.comb += [
            Assert(network.passed == passed),
            Assert(register(fragment, "place") == turn),
            Cover(network.passed & (nodes[0].missing != 0)),
        ]
        return m
