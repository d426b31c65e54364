"""Reporter: a line of text with decimal numbers, byte by byte."""

from amaranth import *
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

from cubecast.golden.board.contract.config import BoardConfig
from cubecast.golden.board.contract.line import DIGITS, FIELDS, MARK, TEMPLATE, VALUE_BITS

__all__ = ["Reporter"]


class Reporter(wiring.Component):
    """Write a line for each tick.

    Parameters
    ----------
    config : BoardConfig
        Parameters of the board.

    Ports
    -----
    tick : in
        Write a line; not looked at while one is written.
    seconds, load, packets, words, under_way, errors : in, 32
        Its numbers; each is read when its place in the line comes, 32 cycles before its first digit.
    o__valid, o__data, o__ready : out, 1, 8; in
        The bytes of the line; functions of registers.
    """

    def __init__(self, config: BoardConfig):
        self.config = config
        super().__init__(
            {
                "tick": In(1),
                **{name: In(VALUE_BITS) for name in FIELDS},
                "o__valid": Out(1),
                "o__data": Out(8),
                "o__ready": In(1),
            }
        )

    def elaborate(self, platform):
        """Walk through the template; make a number decimal where one stands, and leave out its leading zeros."""
        m = Module()
        place, value, decimal = Signal(range(len(TEMPLATE))), Signal(VALUE_BITS), Signal(4 * DIGITS)
        count, started, byte, moves = Signal(range(VALUE_BITS)), Signal(), Signal(8), Signal()
        with m.Switch(place):
            for each, code in enumerate(TEMPLATE):
                with m.Case(each):
                    m.d.comb += byte.eq(code)
        carried = Cat(
            Mux(digit >= 5, digit + 3, digit)[:4] for digit in (decimal.word_select(i, 4) for i in range(DIGITS))
        )
        m.d.comb += moves.eq(~self.o__valid | self.o__ready)
        with m.FSM():
            with m.State("IDLE"), m.If(self.tick):
                m.d.sync += place.eq(0)
                m.next = "TEXT"
            with m.State("TEXT"):
                marked = byte >= MARK
                m.d.comb += [self.o__valid.eq(~marked), self.o__data.eq(byte)]
                m.d.sync += [count.eq(0), decimal.eq(0)]
                with m.Switch(byte):
                    for index, name in enumerate(FIELDS):
                        with m.Case(MARK + index):
                            m.d.sync += value.eq(getattr(self, name))
                with m.If(marked):
                    m.next = "CONVERT"
                with m.Elif(self.o__ready):
                    m.d.sync += place.eq(place + 1)
                    with m.If(place == len(TEMPLATE) - 1):
                        m.next = "IDLE"
            with m.State("CONVERT"):
                m.d.sync += [Cat(value, decimal).eq(Cat(C(0, 1), value, carried)), count.eq(count + 1), started.eq(0)]
                with m.If(count == VALUE_BITS - 1):
                    m.next = "DIGITS"
            with m.State("DIGITS"):
                digit, final = decimal[-4:], count == DIGITS - 1
                m.d.comb += [
                    self.o__valid.eq(started | (digit != 0) | final),
                    self.o__data.eq(Cat(digit, C(3, 4))),
                ]
                with m.If(moves):
                    m.d.sync += [decimal.eq(decimal << 4), count.eq(count + 1), started.eq(self.o__valid)]
                    with m.If(final):
                        m.d.sync += place.eq(place + 1)
                        m.next = "TEXT"
        with m.If(~self.o__valid):
            m.d.comb += self.o__data.eq(0)
        return m
