"""Deserializer: receives packets from a serial link, a bit per cycle."""

from enum import IntEnum

from amaranth import *
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

from cubecast.golden.packet.contract.config import PORT_BITS, PacketConfig

__all__ = ["Deserializer"]


class Line(IntEnum):
    """What the line shows next: nothing, the sync or start pattern, or the bits of a head or word."""

    IDLE = 0
    SYNC = 1
    ZERO = 2
    BITS = 3


class Deserializer(wiring.Component):
    """Collect the bits of a head or word, and pass it on in the cycle after its last bit.

    Parameters
    ----------
    config : PacketConfig
        Parameters of the router.

    Ports
    -----
    line : in
        From the neighbour.
    ready, refusing : in
        From the packet buffer unit: a whole packet can be taken; no contrary one now.
    hold : out
        To the neighbour: wait with the packet; after the preheader of a contrary one: it is not taken.
    valid, head, data : out, 1 and 1 and H
        A head or a word; registers.
    cut_short : out
        The packet being received ends here; a register.

    Source: Buzzard 1988, sections 5.4 (preheader, figure 5.3) and 5.4.8 (flow control unit).
    """

    def __init__(self, config: PacketConfig):
        self.config = config
        super().__init__(
            {
                "line": In(1),
                "ready": In(1),
                "refusing": In(1),
                "hold": Out(1),
                "valid": Out(1),
                "head": Out(1),
                "data": Out(config.head_bits),
                "cut_short": Out(1),
            }
        )

    def elaborate(self, platform):
        """Build the shift register and its sequence."""
        m = Module()
        config = self.config
        bits, preheader = config.head_bits, 1 + PORT_BITS + config.length_bits
        shift = Signal(bits)
        state = Signal(Line)
        index = Signal(range(bits))
        left = Signal(config.length_bits)
        shifted, remaining = Signal(bits), Signal(config.length_bits)
        first = Signal()
        last = Signal()
        m.d.comb += [
            shifted.eq(Cat(self.line, shift)),
            remaining.eq(Mux(first, shifted[config.width :], left - 1)),
            last.eq(Mux(first, index == bits - 1, index == config.width - 1)),
            self.data.eq(shift),
        ]
        m.d.sync += [self.valid.eq(0), self.cut_short.eq(0)]
        with m.Switch(state):
            with m.Case(Line.IDLE):
                m.d.comb += self.hold.eq(~self.ready)
                with m.If(self.line & self.ready):
                    m.d.sync += first.eq(1)
                    m.d.sync += state.eq(Line.ZERO)
            with m.Case(Line.SYNC):
                with m.If(self.line):
                    m.d.sync += first.eq(0)
                    m.d.sync += state.eq(Line.ZERO)
                with m.Else():
                    m.d.sync += self.cut_short.eq(1)
                    m.d.sync += state.eq(Line.IDLE)
            with m.Case(Line.ZERO):
                m.d.sync += [index.eq(0), shift.eq(0)]
                with m.If(self.line):
                    m.d.sync += self.cut_short.eq(~first)
                    m.d.sync += state.eq(Line.IDLE)
                with m.Else():
                    m.d.sync += state.eq(Line.BITS)
            with m.Case(Line.BITS):
                # The contrary bit came first, so it is the top one of the preheader.
                with m.If(first & (index == preheader) & shift[preheader - 1] & self.refusing):
                    m.d.comb += self.hold.eq(1)
                    m.d.sync += state.eq(Line.IDLE)
                with m.Else():
                    m.d.sync += [shift.eq(shifted), index.eq(index + 1)]
                    with m.If(last):
                        m.d.sync += [self.valid.eq(1), self.head.eq(first), left.eq(remaining)]
                        with m.If(remaining != 0):
                            m.d.sync += state.eq(Line.SYNC)
                        with m.Else():
                            m.d.sync += state.eq(Line.IDLE)
        return m
