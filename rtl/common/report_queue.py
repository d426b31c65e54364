"""Report queue: two reports of one unit, until they are taken."""

from amaranth import *
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

from cubecast.golden.common.contract.units import REASON_BITS, Control
from cubecast.rtl.common.report import Report

__all__ = ["ReportQueue"]


class ReportQueue(wiring.Component):
    """Keep up to two reports, and offer the older one from the cycle after its put.

    Both flags are registers, so that no path leads through it from a unit to the collector, or back. A unit that begins
    nothing that may end in a report unless the queue is calm finds room for two; one that holds its report until there
    is room can make one in every cycle as long as they are taken.

    Parameters
    ----------
    config : Control
        Width of an address.

    Ports
    -----
    put, reason, destination : in, 1 and 4 and n
        Store a report at the edge; not done when two are stored.
    calm : out
        Nothing is stored; a register.
    room : out
        Fewer than two are stored; a register.
    o__valid, o__reason, o__destination, o__ready
        The oldest report.

    Source: Buzzard 1988, section 5.6 (a packet that cannot go on is discarded); that it is told of is this project's.
    """

    def __init__(self, config: Control):
        self.config = config
        super().__init__(
            {
                "put": In(1),
                "reason": In(REASON_BITS),
                "destination": In(config.dim),
                "calm": Out(1),
                "room": Out(1),
                "o": Out(Report(config.dim)),
            }
        )

    def elaborate(self, platform):
        """Build the two entries; the oldest is always entry 0."""
        m = Module()
        new = Cat(self.reason, self.destination)
        stored = Signal(2)
        oldest = Signal(len(new))
        newest = Signal(len(new))
        put, take = Signal(), Signal()
        m.d.comb += [
            put.eq(self.put & self.room),
            take.eq(stored[0] & self.o.ready),
            self.calm.eq(~stored[0]),
            self.room.eq(~stored[1]),
            self.o.valid.eq(stored[0]),
            Cat(self.o.reason, self.o.destination).eq(oldest),
        ]
        with m.If(put):
            m.d.sync += newest.eq(new)
        with m.If(take & stored[1]):
            m.d.sync += [oldest.eq(newest), stored.eq(0b01)]
        with m.Elif(put & (take | ~stored[0])):
            m.d.sync += [oldest.eq(new), stored.eq(0b01)]
        with m.Elif(put):
            m.d.sync += stored.eq(0b11)
        with m.Elif(take):
            m.d.sync += stored.eq(0)
        return m
