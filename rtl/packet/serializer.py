"""Serializer: sends packets over a serial link, a bit per cycle."""

from enum import IntEnum

from amaranth import *
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

from cubecast.golden.packet.contract.config import PORT_BITS, PacketConfig
from cubecast.rtl.packet.link import Flit

__all__ = ["Serializer"]


class Line(IntEnum):
    """What the line shows: nothing, the start or sync pattern, or the bits of a head or word."""

    IDLE = 0
    ONE = 1
    ZERO = 2
    BITS = 3


class Serializer(wiring.Component):
    """Send a start pattern and the head, then a sync pattern and each word; the line is a function of registers.

    A head taken in cycle t is on the line from cycle t + 1 on, the first of its two start bits then. A packet of which
    the next word is not there in the last bit of the one before ends there.

    Parameters
    ----------
    config : PacketConfig
        Parameters of the router.

    Ports
    -----
    i__valid, i__head, i__last, i__bad, i__data, i__ready
        The packet to be sent; its length field says how many words there are.
    line : out
        To the neighbour; 0 between packets.
    hold : in
        From the neighbour: repeat the 1 of the pattern; after the preheader of a contrary packet: do not send it.
    idle : out
        Nothing is sent, and nothing was in the cycle before.
    refused : out
        Strobe: the neighbour does not take the contrary packet.

    Source: Buzzard 1988, sections 5.4 (preheader, figure 5.3) and 5.4.8 (flow control unit).
    """

    def __init__(self, config: PacketConfig):
        self.config = config
        super().__init__(
            {
                "i": In(Flit(config)),
                "line": Out(1),
                "hold": In(1),
                "idle": Out(1),
                "refused": Out(1),
            }
        )

    def elaborate(self, platform):
        """Build the shift register and its sequence."""
        m = Module()
        config, i = self.config, self.i
        bits, preheader = config.head_bits, 1 + PORT_BITS + config.length_bits
        shift = Signal(bits)
        state = Signal(Line)
        index = Signal(range(bits))
        left = Signal(config.length_bits)
        head = Signal()
        contrary = Signal()
        rested = Signal()
        last = Signal()
        m.d.comb += last.eq(Mux(head, index == bits - 1, index == config.width - 1))
        m.d.sync += rested.eq(0)
        with m.Switch(state):
            with m.Case(Line.IDLE):
                m.d.comb += [i.ready.eq(1), self.idle.eq(rested)]
                m.d.sync += rested.eq(1)
                with m.If(i.valid & i.head):
                    m.d.sync += [
                        shift.eq(i.data),
                        head.eq(1),
                        contrary.eq(i.data[-1]),
                        left.eq(i.data[config.width :][: config.length_bits]),
                    ]
                    m.d.sync += state.eq(Line.ONE)
            with m.Case(Line.ONE):
                m.d.comb += self.line.eq(1)
                with m.If(~self.hold):
                    m.d.sync += state.eq(Line.ZERO)
            with m.Case(Line.ZERO):
                m.d.sync += index.eq(0)
                m.d.sync += state.eq(Line.BITS)
            with m.Case(Line.BITS):
                m.d.comb += self.line.eq(shift[-1])
                m.d.sync += [shift.eq(shift << 1), index.eq(index + 1)]
                with m.If(head & contrary & (index == preheader) & self.hold):
                    m.d.comb += self.refused.eq(1)
                    m.d.sync += state.eq(Line.IDLE)
                with m.Elif(last):
                    m.d.comb += i.ready.eq((left != 0) & ~i.head)
                    m.d.sync += state.eq(Line.IDLE)
                    with m.If((left != 0) & i.valid & ~i.head & ~i.bad):
                        m.d.sync += [
                            shift.eq(i.data[: config.width] << bits - config.width),
                            head.eq(0),
                            left.eq(left - 1),
                        ]
                        m.d.sync += state.eq(Line.ONE)
        return m
