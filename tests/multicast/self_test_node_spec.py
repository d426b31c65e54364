"""What the self-test node has to promise about the wires between router, generator, checker and its ports."""

from amaranth.hdl import Assert, Cover, Module, Mux, Signal
from amaranth.lib import wiring

from cubecast.golden.common.contract.units import DATA_BITS
from cubecast.rtl.multicast import self_test_node
from tests.harness.inside import emptying, equal, freed, opened, unit

__all__ = ["SelfTestNodeSpec"]

BALANCES = {"missing": ("expected", "delivered"), "difference": ("expected_signature", "delivered_signature")}
"""Ports, and of which numbers of generator and checker they are the difference."""


class SelfTestNodeSpec(wiring.Component):
    """Every bit is joined with what it is joined with; what is missing is what was to come less what came.

    All units inside are emptied.

    Parameters
    ----------
    config : Config
        Parameters of the router.
    half : int
        Which half of the test registers is the checker's: 1; with 0 it must be refuted.
    """

    def __init__(self, config, half=1):
        self.config, self.half = config, half
        super().__init__({})

    def elaborate(self, platform):
        """Compare both ends of each wire, and add up."""
        m = Module()
        self.dut = node = self_test_node.SelfTestNode(self.config)
        with emptying(self_test_node):
            m.submodules.dut = fragment = opened(node)
        freed(m, node)
        names = ("router", "traffic_generator", "traffic_checker")
        router, generator, checker = (unit(fragment, name) for name in names)
        test, begun, was_checkers, checkers = node.test, Signal(), Signal(), Signal()
        m.d.comb += checkers.eq(test.address[5] == self.half)
        m.d.sync += [begun.eq(1), was_checkers.eq(test.address[5])]
        m.d.comb += [
            *equal(generator.o, router.inject),
            *equal(router.eject, checker.i),
            *equal(node.control, router.control),
            *equal(node.report, router.report),
            *(Assert(inner.address == node.address) for inner in (router, generator, checker)),
            *(
                Assert(inner.control.address == test.address[: len(inner.control.address)])
                for inner in (generator, checker)
            ),
            *(Assert(inner.control.write_data == test.write_data) for inner in (generator, checker)),
            Assert(generator.control.write == (test.write & ~checkers)),
            Assert(checker.control.write == (test.write & checkers)),
            Assert(test.read_data == Mux(was_checkers, checker.control.read_data, generator.control.read_data)),
            Assert(generator.start == node.start),
            Assert(node.idle == generator.idle),
            Assert(node.failed == checker.failed),
            Assert(node.multiple_faults == router.multiple_faults),
            Cover(begun & was_checkers & node.failed & (node.missing != 0)),
        ]
        for ours, its in ((node.link_in, router.link_in), (node.link_out, router.link_out)):
            for one, other in zip(ours, its, strict=True):
                m.d.comb += equal(one, other)
        for name, (to_come, came) in BALANCES.items():
            balance = Signal(DATA_BITS, name=f"{name}_before")
            m.d.sync += balance.eq(getattr(generator, to_come) - getattr(checker, came))
            m.d.comb += Assert(getattr(node, name) == balance)
        return m
