"""UART sender: bytes as start bit, eight bits and stop bit on one wire."""

from amaranth import *
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

from cubecast.golden.board.contract.config import BoardConfig

__all__ = ["UartSender"]


class UartSender(wiring.Component):
    """Send bytes over a wire, the lowest bit first, without parity.

    Parameters
    ----------
    config : BoardConfig
        ``bit_cycles``: cycles of a bit.

    Ports
    -----
    i__valid, i__data, i__ready : in, 1, 8; out
        Bytes; one is taken while nothing is being sent.
    tx : out
        The wire, 1 between bytes; a register. The start bit begins in the cycle after the byte was taken.
    """

    def __init__(self, config: BoardConfig):
        self.config = config
        super().__init__({"i__valid": In(1), "i__data": In(8), "i__ready": Out(1), "tx": Out(1, init=1)})

    def elaborate(self, platform):
        """Shift the bits out, ones behind them."""
        m = Module()
        frame, left, timer = Signal(9, init=0x1FF), Signal(4), Signal(range(self.config.bit_cycles))
        m.d.comb += self.i__ready.eq(left == 0)
        with m.If(~self.i__ready):
            m.d.sync += timer.eq(timer + 1)
            with m.If(timer == self.config.bit_cycles - 1):
                m.d.sync += [timer.eq(0), left.eq(left - 1), Cat(self.tx, frame).eq(Cat(frame, C(1, 1)))]
        with m.Elif(self.i__valid):
            m.d.sync += [Cat(self.tx, frame).eq(Cat(C(0, 1), self.i__data, C(1, 1))), left.eq(10)]
        return m
