"""Channel: the receiving side of a link, one message handling unit per lane."""

from amaranth import *
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out, connect, flipped

from cubecast.golden.config import Config

from .instance import place
from .link import Link, Report, Words
from .mhu import Mhu

__all__ = ["Channel"]


class Channel(wiring.Component):
    """Hand the words of a link to the message handling unit of their lane.

    The lane of a message is the number of negative hops (from an odd to an even node) it has made, so a message in
    the last lane at an odd node can go nowhere. ``link__ready[l]`` comes from a register.

    Parameters
    ----------
    config : Config
        Parameters of the router.

    Ports
    -----
    address, fault : in, n
        Local address; faulty dimensions.
    link__valid, link__data, link__last, link__error, link__lane, link__ready
        The link.
    start : out
        The first word of a message is taken in this clock.
    o__l__p__valid, o__l__p__data, o__l__p__last, o__l__p__error, o__l__p__ready
        Copies of lane l for port p.
    report__l__valid, report__l__reason, report__l__destination, report__l__ready
        Reports of lane l.

    Source: Lan 1988, section 6.3, figure 6.1 (input gateway and MHU); lanes are what deadlock freedom adds.
    """

    def __init__(self, config: Config):
        self.config = config
        super().__init__(
            {
                "address": In(config.dim),
                "fault": In(config.dim),
                "link": In(Link(config)),
                "start": Out(1),
                "o": Out(Words(config)).array(config.lanes, config.ports),
                "report": Out(Report(config)).array(config.lanes),
            }
        )

    def elaborate(self, platform):
        """Place the units and distribute the words."""
        m = Module()
        lanes = self.config.lanes
        mhus = [place(m, f"mhu_{lane}", Mhu, self.config) for lane in range(lanes)]
        odd = Signal()
        m.d.comb += [odd.eq(self.address.xor()), self.start.eq(Cat(mhu.start for mhu in mhus).any())]
        for lane, mhu in enumerate(mhus):
            m.d.comb += [
                mhu.address.eq(self.address),
                mhu.fault.eq(self.fault),
                mhu.inject.eq(0),
                mhu.no_lane.eq(odd if 0 < lane == lanes - 1 else 0),
                mhu.i.valid.eq(self.link.valid & (self.link.lane == lane)),
                mhu.i.data.eq(self.link.data),
                mhu.i.last.eq(self.link.last),
                mhu.i.error.eq(self.link.error),
                self.link.ready[lane].eq(mhu.free),
            ]
            for inner, outer in zip(mhu.o, self.o[lane], strict=True):
                connect(m, inner, flipped(outer))
            connect(m, mhu.report, flipped(self.report[lane]))
        return m
