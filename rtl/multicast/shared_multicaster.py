"""Shared multicaster: one multicaster for the message handling units of a channel, which take turns."""

from amaranth import *
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

from cubecast.golden.multicast.contract.config import Config
from cubecast.rtl.common.instance import place
from cubecast.rtl.common.select import selected
from cubecast.rtl.multicast.multicaster import Multicaster

__all__ = ["SharedMulticaster"]


class SharedMulticaster(wiring.Component):
    """Decide for one message handling unit of a channel at a time, the one of the lane that has the turn.

    The turn is a register. A lane that asks keeps it until it has decided; then it goes to the next lane that asks, in
    cyclic order, or else to the lane of a word on the link, so that a header finds it with its unit. A lane that keeps
    asking waits for at most L - 1 decisions of others. The lane that has the turn is offered the choice in the same
    cycle; with ``decision_latency`` = 2 from the cycle after it got the turn, and the choice is one for ``votes`` and
    ``blocked`` of the cycle before, as :class:`Multicaster` makes it.

    Parameters
    ----------
    config : Config
        Parameters of the router, with L lanes, at least 2.

    Ports
    -----
    asks : in, L
        Lanes whose unit has rows that it can decide on now.
    decides : in
        The unit that is offered the choice launches it in this cycle.
    valid, lane : in, 1 and lane_bits
        A word is on the link, and its lane.
    votes__l : in, m * n
        Reference array of lane l, row i as item i - 1.
    blocked__l : in, n
        Dimensions that lane l must not take.
    offered : out, L
        Lane whose unit may launch the choice in this cycle, one-hot; 0 with ``decision_latency`` = 2 when there is none
        yet, or nothing to choose.
    y, r, k : out, n and m and n
        Forwarding dimension, one-hot; rows that go there; their number.

    Source: Lan 1988, section 6.6, for the multicaster; one for several units is not in the dissertation.
    """

    def __init__(self, config: Config):
        self.config = config
        n, rows, lanes = config.dim, config.max_dest, config.lanes
        super().__init__(
            {
                "asks": In(lanes),
                "decides": In(1),
                "valid": In(1),
                "lane": In(config.lane_bits),
                "votes": In(rows * n).array(lanes),
                "blocked": In(n).array(lanes),
                "offered": Out(lanes),
                "y": Out(n),
                "r": Out(rows),
                "k": Out(n),
            }
        )

    def elaborate(self, platform):
        """Let the multicaster see what the lane that has the turn sees, and pass the turn on."""
        m = Module()
        turn = Signal(self.config.lanes, init=1)
        multicaster = place(m, "multicaster", Multicaster, self.config)
        m.d.comb += [
            multicaster.a.eq(selected(turn, self.votes)),
            multicaster.fault.eq(selected(turn, self.blocked)),
            self.y.eq(multicaster.y),
            self.r.eq(multicaster.r),
            self.k.eq(multicaster.k),
        ]
        if self.config.decision_latency == 1:
            m.d.comb += self.offered.eq(turn)
        else:
            turn_before = Signal.like(turn, init=0)
            m.d.sync += turn_before.eq(turn)
            m.d.comb += self.offered.eq(Mux(multicaster.terminate, 0, turn & turn_before))
        self._pass_on(m, turn)
        return m

    def _pass_on(self, m, turn):
        """Find who has the turn in the next cycle."""
        lanes = self.config.lanes
        mine, after, header = Signal(), Signal(lanes), Signal(lanes)
        m.d.comb += [
            mine.eq((turn & self.asks).any()),
            # Lanes that ask and come after the one that has the turn, but for those that come around.
            after.eq(Cat(self.asks[i] & turn[:i].any() for i in range(lanes))),
            # No bit for a lane that there is not.
            header.eq(Cat(self.valid & (self.lane == i) for i in range(lanes))),
        ]
        with m.If(~mine | self.decides):
            with m.If(after.any()):
                m.d.sync += turn.eq(_lowest(after))
            with m.Elif(self.asks.any()):
                m.d.sync += turn.eq(_lowest(self.asks))
            with m.Elif(header.any()):
                m.d.sync += turn.eq(header)


def _lowest(bits):
    """Return the lowest bit that is set, alone."""
    return Cat(bits[i] & ~bits[:i].any() for i in range(len(bits)))
