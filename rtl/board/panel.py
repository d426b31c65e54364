"""Panel: the button that steps the load, and the rate of messages that goes with each step."""

from amaranth import *
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

from cubecast.golden.board.contract.config import LOADS, BoardConfig
from cubecast.golden.common.contract.load import RATE_ONE

__all__ = ["Panel"]


class Panel(wiring.Component):
    """Hear a button, and step the load with each press.

    Parameters
    ----------
    config : BoardConfig
        ``debounce_cycles``; and what the rates follow from.

    Ports
    -----
    button : in
        1 while it is pressed; of any clock.
    step : out, 3
        Which of the loads; a register.
    load, rate : out, 7, 25
        The load in percent, and the messages per node and cycle that make it, in 2**-24; functions of ``step``.
    """

    def __init__(self, config: BoardConfig):
        self.config = config
        outputs = {"step": range(len(LOADS)), "load": 7, "rate": RATE_ONE.bit_length()}
        super().__init__({"button": In(1), **{name: Out(shape) for name, shape in outputs.items()}})

    def elaborate(self, platform):
        """Let two registers settle the button, and count how long it has been another one than what is heard."""
        m = Module()
        # Side by side, and not made a shift register: the first one may be between 0 and 1 for a while.
        first, settled = (Signal(name=name, attrs={"ASYNC_REG": "TRUE"}) for name in ("first", "settled"))
        heard = Signal()
        count = Signal(range(self.config.debounce_cycles))
        m.d.sync += [first.eq(self.button), settled.eq(first)]
        with m.If(settled == heard):
            m.d.sync += count.eq(0)
        with m.Elif(count == self.config.debounce_cycles - 1):
            m.d.sync += [count.eq(0), heard.eq(settled)]
            with m.If(settled):
                m.d.sync += self.step.eq(Mux(self.step == len(LOADS) - 1, 0, self.step + 1))
        with m.Else():
            m.d.sync += count.eq(count + 1)
        with m.Switch(self.step):
            for index, load in enumerate(LOADS):
                with m.Case(index):
                    m.d.comb += [self.load.eq(load), self.rate.eq(self.config.rate(load))]
        return m
