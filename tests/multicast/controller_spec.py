"""When a controller asks for the choice of a shared multicaster, and when it takes it."""

from amaranth.hdl import Assert, Cover, Module

from cubecast.golden.multicast.contract.states import State
from cubecast.rtl.multicast.controller import Controller
from tests.harness.spec import Spec, drive

__all__ = ["SharedControllerSpec"]


class SharedControllerSpec(Spec):
    """Who asks takes the choice in the first cycle in which it stands ready, so that nobody keeps it who waits.

    Who takes it has asked in this cycle, or the header ends in it.

    Parameters
    ----------
    config : Config
        Parameters of the router.
    """

    unit = Controller

    def __init__(self, config, unit=None):
        super().__init__(config, unit, shared=True)

    def elaborate(self, platform):
        """Compare what the controller asks for with what it decides."""
        m = Module()
        dut = self.place(m)
        drive(m, dut)
        header = (dut.state == State.INPUT) & dut.taken & dut.header_end
        m.d.comb += [
            Assert(~(dut.asks & dut.chosen) | dut.decide),
            Assert(~dut.decide | (dut.chosen & (dut.asks | header))),
            Cover(dut.asks & dut.decide & (dut.state == State.OUTPUT)),
            Cover(dut.decide & header),
            Cover((dut.state == State.PROCESSING) & dut.chosen & dut.multicast & ~dut.terminate & ~dut.asks),
        ]
        return m
