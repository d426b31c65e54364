"""What the multicast load router has to promise about the headers that it makes."""

from amaranth.hdl import Array, Assert, C, Cat, Cover, Module, Mux, Signal
from amaranth.lib import wiring

from cubecast.golden.common.contract.load import Kind
from cubecast.rtl.common import load_router as of_all
from cubecast.rtl.multicast import load_router
from cubecast.rtl.multicast.load_router import Step
from tests.harness.inside import emptying, freed, opened, register, unit

__all__ = ["HeaderSpec"]


class HeaderSpec(wiring.Component):
    """A packet of the load node goes into the router behind the header of its message, a word at a time, in order.

    From any state, in each cycle. Router and load node are emptied; what a list has is what the load node then says.

    Parameters
    ----------
    config : Config
        Parameters of the router.
    listed : int
        Nodes of the longest list that leaves Control at 0; with fewer it must be refuted.
    """

    def __init__(self, config, listed=None):
        self.config = config
        self.listed = config.max_dest if listed is None else listed
        super().__init__({})

    def elaborate(self, platform):
        """Compare each word, and what comes behind it."""
        m = Module()
        config = self.config
        self.dut = dut = load_router.LoadRouter(config)
        with emptying(of_all, load_router):
            m.submodules.dut = fragment = opened(dut)
        freed(m, dut)
        source, inject = unit(fragment, "load_node").inject, unit(fragment, "router").inject
        step, told = register(fragment, "step"), register(fragment, "told")
        others = config.nodes - 1
        one, itself = source.kind == Kind.ONE, source.r1 ^ source.r2
        named = Cat(Mux(one, itself == node, source.block[node]) for node in range(config.nodes))
        count = sum(named[1:], C(0, config.dim))
        everyone = (source.kind == Kind.ALL) | (count == others)
        left = Signal(config.nodes)
        lowest, bit, last = Signal(config.dim), Signal(config.nodes), Signal(init=1)
        m.d.comb += left.eq(named & ~told)
        for node in reversed(range(config.nodes)):
            with m.If(left[node]):
                m.d.comb += [lowest.eq(node), bit.eq(1 << node), last.eq(~left[node + 1 :].any())]
        control = Mux(everyone | (count > self.listed), others, 0) if config.fault_tolerant else dut.address
        words = {
            Step.K: Mux(everyone, others, count),
            Step.LIST: dut.address ^ lowest,
            Step.CONTROL: control,
            Step.SOURCE: dut.address,
            Step.DATA: source.data,
        }
        behind = {
            Step.K: Mux(everyone, Step.CONTROL, Step.LIST),
            Step.LIST: Mux(last, Step.CONTROL, Step.LIST),
            Step.CONTROL: Step.SOURCE if config.source_field else Step.DATA,
            Step.SOURCE: Step.DATA,
            Step.DATA: Mux(source.last, Step.K, Step.DATA),
        }
        went, came_to, gone = Signal(), Signal.like(step), Signal.like(told)
        m.d.sync += [
            went.eq(source.valid & source.ready),
            came_to.eq(Array(behind[each] for each in Step)[step]),
            gone.eq(Mux(step == Step.K, 0, Mux(step == Step.LIST, told | bit, told))),
        ]
        m.d.comb += [
            Assert(Cat(step == each for each in Step).any()),
            Assert(inject.data == Array(words[each] for each in Step)[step]),
            Assert(~went | ((step == came_to) & (told == gone))),
            Assert(source.heading == (step != Step.DATA)),
            Assert(Cat(inject.valid, source.ready, inject.error) == Cat(source.valid, inject.ready, C(0, 1))),
            Assert(inject.last == ((step == Step.DATA) & source.last)),
            Cover((step == Step.LIST) & last & (lowest == others) & told.any()),
            Cover((step == Step.CONTROL) & everyone & inject.valid),
        ]
        return m
