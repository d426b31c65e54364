"""Channel: the receiving side of a link, one message handling unit per lane."""

from amaranth import *
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out, connect, flipped

from cubecast.golden.multicast.contract.config import Config
from cubecast.rtl.common.instance import place
from cubecast.rtl.common.report import Report
from cubecast.rtl.multicast.link import LinkWords, Words
from cubecast.rtl.multicast.mhu import Mhu
from cubecast.rtl.multicast.policy import policy_of, ports_of
from cubecast.rtl.multicast.shared_multicaster import SharedMulticaster

__all__ = ["Channel"]


class Channel(wiring.Component):
    """Hand the words of a link to the message handling unit of their lane.

    The lane of a message is the number of negative hops (from an odd to an even node) it has made, so a message in
    the last lane at an odd node can go nowhere. With the policy ``ordered`` it is the number of turns from 0 -> 1 to
    1 -> 0 hops, so a message in the last lane that came in by a 0 -> 1 hop cannot make a 1 -> 0 hop.
    ``link__ready[l]`` is a function of registers and of ``cut``. With ``multicasters`` = ``channel`` the units have one
    multicaster together, and each waits for at most one decision of each other one before its own.

    Parameters
    ----------
    config : Config
        Parameters of the router.

    Ports
    -----
    address, fault : in, n
        Local address; links that are cut.
    cut : in
        This link is cut.
    up : in
        Address bit of this link's dimension: the hop over it was 0 -> 1; only with the policy ``ordered``.
    link__valid, link__data, link__last, link__error, link__lane, link__ready
        The link.
    start : out
        The first word of a message is taken in this cycle.
    o__l__p__valid, o__l__p__data, o__l__p__last, o__l__p__error, o__l__p__ready
        Copies of lane l for port p.
    report__l__valid, report__l__reason, report__l__destination, report__l__ready
        Reports of lane l.

    Source: Lan 1988, section 6.3, figure 6.1 (input gateway and MHU); lanes are what deadlock freedom adds.
    """

    def __init__(self, config: Config):
        self.config = config
        ports = {
            "address": In(config.dim),
            "fault": In(config.dim),
            "cut": In(1),
            "link": In(LinkWords(config)),
            "start": Out(1),
            "o": Out(Words(config)).array(config.lanes, config.ports),
            "report": Out(Report(config.dim)).array(config.lanes),
        }
        super().__init__(ports | ports_of(config.policy_facts.channel, config))

    def elaborate(self, platform):
        """Place the units and distribute the words."""
        m = Module()
        n, lanes = self.config.dim, self.config.lanes
        shared = {"shared": True} if self.config.shares_multicaster else {}
        mhus = [place(m, f"mhu_{lane}", Mhu, self.config, **shared) for lane in range(lanes)]
        if shared:
            self._share(m, mhus)
        beyond = Signal(n)
        m.d.comb += beyond.eq(policy_of(self.config).dead_end(self))
        m.d.comb += self.start.eq(Cat(mhu.start for mhu in mhus).any())
        for lane, mhu in enumerate(mhus):
            m.d.comb += [
                mhu.address.eq(self.address),
                mhu.fault.eq(self.fault),
                mhu.inject.eq(0),
                mhu.no_lane.eq(beyond if 0 < lane == lanes - 1 else 0),
                mhu.cut.eq(self.cut),
                mhu.i.valid.eq(self.link.valid & (self.link.lane == lane)),
                mhu.i.data.eq(self.link.data),
                mhu.i.last.eq(self.link.last),
                mhu.i.error.eq(self.link.error),
                self.link.ready[lane].eq(mhu.free & ~self.cut),
            ]
            for inner, outer in zip(mhu.o, self.o[lane], strict=True):
                connect(m, inner, flipped(outer))
            connect(m, mhu.report, flipped(self.report[lane]))
        return m

    def _share(self, m, mhus):
        """Place the multicaster of all units."""
        multicaster = place(m, "multicaster", SharedMulticaster, self.config)
        m.d.comb += [
            multicaster.asks.eq(Cat(mhu.asks for mhu in mhus)),
            # Only the one that is offered can decide.
            multicaster.decides.eq(Cat(mhu.decides for mhu in mhus).any()),
            multicaster.valid.eq(self.link.valid),
            multicaster.lane.eq(self.link.lane),
        ]
        for lane, mhu in enumerate(mhus):
            m.d.comb += [
                multicaster.votes[lane].eq(mhu.votes),
                multicaster.blocked[lane].eq(mhu.blocked),
                mhu.offered.eq(multicaster.offered[lane]),
                mhu.y.eq(multicaster.y),
                mhu.r.eq(multicaster.r),
                mhu.k.eq(multicaster.k),
            ]
