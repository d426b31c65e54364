"""What the multicaster of a channel has to promise to each of its units."""

from amaranth.asserts import AnyConst
from amaranth.hdl import Array, Assert, Assume, Cat, Cover, Module, Mux, Signal

from cubecast.rtl.multicast.multicaster import Multicaster
from cubecast.rtl.multicast.shared_multicaster import SharedMulticaster
from tests.harness.spec import Spec, drive

__all__ = ["SharedMulticasterSpec"]


class SharedMulticasterSpec(Spec):
    """One lane at most is offered a choice, the one that a multicaster of its own would make.

    A lane that keeps asking is offered it after L - 1 decisions of others at most, and keeps it until it decides. Only
    the lane that is offered the choice decides.

    Parameters
    ----------
    config : Config
        Gives n, m and L.
    """

    unit = SharedMulticaster

    def elaborate(self, platform):
        """Count the decisions of others while any one lane asks, and give it a multicaster of its own."""
        m = Module()
        dut, lanes = self.place(m), self.config.lanes
        drive(m, dut)
        me, waited = Signal(range(lanes)), Signal(range(2 * lanes))
        asks, offered = Signal(), Signal()
        m.d.comb += [
            me.eq(AnyConst(len(me))),
            Assume(me < lanes),
            Assume(~dut.decides | dut.offered.any()),
            asks.eq(dut.asks.bit_select(me, 1)),
            offered.eq(dut.offered.bit_select(me, 1)),
        ]
        with m.If(~asks | offered):
            m.d.sync += waited.eq(0)
        with m.Elif(dut.decides):
            m.d.sync += waited.eq(waited + 1)
        turn = self.register("turn")
        mine = turn.bit_select(me, 1)
        m.d.comb += [
            Assert((dut.offered & (dut.offered - 1)) == 0),
            Assert(waited <= lanes - 1),
            Cover(asks & offered & (waited == lanes - 1)),
            # Makes the bound inductive: with each decision the turn comes closer.
            Assert(turn.any() & ((turn & (turn - 1)) == 0)),
            Assert(waited + self._before(turn, me) <= lanes - 1),
        ]
        m.submodules.own = own = Multicaster(self.config)
        m.d.comb += [own.a.eq(Array(dut.votes)[me]), own.fault.eq(Array(dut.blocked)[me])]
        m.d.comb += Assert(~offered | (Cat(dut.y, dut.r, dut.k) == Cat(own.y, own.r, own.k)))
        kept, mine_before = Signal(), Signal()
        m.d.sync += [kept.eq(mine & asks & ~dut.decides), mine_before.eq(mine)]
        m.d.comb += Assert(~kept | mine)
        if self.config.decision_latency == 1:
            m.d.comb += Assert(offered == mine)
        else:
            m.d.comb += Assert(offered == (mine & mine_before & ~own.terminate))
        return m

    def _before(self, turn, me):
        """Return how many lanes have the turn, or get it next, before one lane, if all ask."""
        lanes = self.config.lanes
        place = sum((Mux(turn[lane], lane, 0) for lane in range(lanes)), start=0)
        return Mux(me >= place, me - place, me + lanes - place)
