"""What the tally has to promise about its count of errors."""

from amaranth.hdl import Assert, Cover, Module, Signal
from amaranth.lib import wiring

from cubecast.rtl.board.tally import Tally
from cubecast.rtl.common.amaranth_private import assigned
from tests.harness.inside import freed, opened

__all__ = ["TallySpec"]


class TallySpec(wiring.Component):
    """From any state, errors grow by no more than can come in a cycle, and not at all from 2^31 on.

    Parameters
    ----------
    config : BoardConfig
        Parameters of the board.
    more : int
        Errors that a cycle can bring; with fewer it must be refuted.
    """

    def __init__(self, config, more):
        self.config, self.more = config, more
        super().__init__({})

    def elaborate(self, platform):
        """Compare the count with what it was a cycle before."""
        m = Module()
        unit = Tally(self.config)
        m.submodules.dut = fragment = opened(unit)
        # Beside the port of this name, which shows it once a second.
        (errors,) = (signal for signal in assigned(fragment) if signal.name == "errors" and signal is not unit.errors)
        before, began = Signal(len(errors)), Signal()
        m.d.sync += [before.eq(errors), began.eq(1)]
        freed(m, unit)
        grown = Signal(len(errors))
        m.d.comb += [
            grown.eq(errors - before),
            Assert(~began | (grown <= self.more)),
            Assert(~began | ~before[-1] | (grown == 0)),
            Cover(began & (grown == self.more)),
        ]
        return m
