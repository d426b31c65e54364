"""What an output gateway has to promise."""

from functools import reduce
from operator import or_

from amaranth.asserts import AnyConst, AnySeq
from amaranth.hdl import Assert, Assume, C, Cat, Cover, Module, Mux, Signal
from amaranth.lib import wiring

from cubecast.golden.multicast.contract.config import Config
from cubecast.rtl.multicast.output_gateway import OutputGateway
from tests.common.arbiter_spec import pointer_of
from tests.harness.inside import opened, register
from tests.multicast.policy_spec import POLICIES

__all__ = ["FairGatewaySpec", "WholeMessagesSpec"]


class GatewaySpec(wiring.Component):
    """A gateway with free inputs: a word that stands ready stays as it is until it has moved or the link is cut.

    Parameters
    ----------
    config : Config
        Parameters of the router.
    local : bool
        Whether it is the gateway of the ejection port. On a link every valid word moves.
    unit : class
        The design to be checked; a broken one must be refuted.
    """

    def __init__(self, config: Config, *, local: bool = False, unit=OutputGateway):
        self.config, self.local, self.unit = config, local, unit
        self.policy = POLICIES[config.policy]
        super().__init__({})

    def elaborate(self, platform):
        """Place the gateway, drive it, and state what it promises."""
        m = Module()
        self.dut = dut = self.unit(self.config, local=self.local)
        m.submodules.dut = self._inside = opened(dut)
        self.locked, self.owners = self.register("locked"), self.register("owner")
        self.owner = Signal(range(self.config.units))
        m.d.comb += [
            self.owner.eq(reduce(or_, (Mux(bit, u, 0) for u, bit in enumerate(self.owners)))),
            Assert((self.owners & (self.owners - 1)) == 0),
            Assert(self.locked == self.owners.any()),
        ]
        strap = getattr(dut, self.config.policy_facts.gateway.name)
        m.d.comb += [strap.eq(AnyConst(len(strap))), dut.ready.eq(AnySeq(len(dut.ready)))]
        m.d.comb += [dut.advance.eq(AnySeq(1) if self.local else 1), dut.cut.eq(0 if self.local else AnySeq(1))]
        for u, i in enumerate(dut.i):
            word = Signal(len(Cat(i.valid, i.data, i.last, i.error)), name=f"word_{u}")
            held, before = Signal(name=f"held_{u}"), Signal.like(word, name=f"before_{u}")
            m.d.comb += [word.eq(AnySeq(len(word))), Cat(i.valid, i.data, i.last, i.error).eq(word)]
            m.d.comb += Assume(~held | (word == before))
            m.d.sync += [held.eq(i.valid & ~i.ready & ~dut.cut), before.eq(word)]
        self.valid, self.ready = Cat(i.valid for i in dut.i), Cat(i.ready for i in dut.i)
        self.state(m, dut)
        return m

    def register(self, *path):
        """Return a register of the gateway."""
        return register(self._inside, *(() if self.unit is OutputGateway else ("inner",)), *path)

    def lane(self, u):
        """Return the lane in which a message of unit u leaves; it may be beyond the last."""
        config = self.config
        if self.local or config.lanes == 1:
            return C(0, 2)
        channel, lane = divmod(u, config.lanes)
        return lane + self.policy.rises(self.dut, channel)

    def turns(self, u):
        """Yield the groups in which unit u may have its turn: number, candidates, its place among them, condition."""
        # Where there is no lane to choose, a group is that of the lane in which a message came.
        alone = self.config.lanes == 1 or self.local
        yield from (POLICIES["greedy"] if alone else self.policy).turns(self.config, u, self.lane(u))


class WholeMessagesSpec(GatewaySpec):
    """Words leave as whole messages: from the first word to the last (or a cut) all are of one unit and in one lane.

    A unit that is granted keeps the gateway until its last word has moved (or the link is cut), and what the gateway
    shows is that unit's word, unchanged. The first word is sent only while its lane can take a message.
    """

    def state(self, m, dut):
        """Follow the words that move."""
        begun, sender, lane = Signal(), Signal(range(self.config.units)), Signal(len(dut.lane))
        granted, holder = Signal(), Signal(range(self.config.units))
        moves = Signal()
        m.d.comb += moves.eq(dut.valid & dut.advance)
        for u, i in enumerate(dut.i):
            with m.If(i.ready):
                m.d.sync += sender.eq(u)
                m.d.comb += [
                    Assert(i.valid & moves & ~dut.cut),
                    Assert(~begun | (sender == u)),
                    Assert(Cat(dut.data, dut.last, dut.error) == Cat(i.data, i.last, i.error)),
                    Assert(dut.lane == self.lane(u)),
                ]
            m.d.comb += Assert(~begun | (sender != u) | (lane == self.lane(u)))
            with m.If(self.locked & (self.owner == u)):
                m.d.comb += [
                    Assert(dut.valid == (i.valid & ~dut.cut)),
                    Assert(~dut.valid | (Cat(dut.data, dut.last, dut.error) == Cat(i.data, i.last, i.error))),
                    Assert((self.ready & ~C(1 << u, self.config.units)) == 0),
                ]
        with m.If(dut.cut):
            m.d.sync += [begun.eq(0), granted.eq(0)]
        with m.Elif(moves):
            m.d.sync += [begun.eq(~dut.last), lane.eq(dut.lane), granted.eq(~dut.last)]
        with m.Elif(dut.valid):
            m.d.sync += granted.eq(1)
        with m.If(self.locked):
            m.d.sync += holder.eq(self.owner)
        m.d.comb += [
            Assert((self.ready & (self.ready - 1)) == 0),
            Assert(moves == self.ready.any()),
            Assert(~(begun & dut.valid) | (dut.lane == lane)),
            Assert(self.locked == granted),
            Assert(~begun | (self.locked & (self.owner == sender))),
            Cover(begun & moves & dut.last & (sender == self.config.units - 1)),
        ]
        held = Signal()
        m.d.sync += held.eq(self.locked & ~(moves & dut.last) & ~dut.cut)
        m.d.comb += Assert(~held | (self.locked & (self.owner == holder)))
        if not self.local:
            m.d.comb += [Assert(begun == granted), Assert(begun | ~dut.valid | dut.ready.bit_select(dut.lane, 1))]


class FairGatewaySpec(GatewaySpec):
    """A unit that waits is granted at the latest after G L - 1 messages of others, with G candidates in its group.

    Counted are those that begin while the lane in which it leaves can take a message. A lane that can stays so until a
    message begins in it, as the unit behind it does: nobody else sends to that. How often others begin while it cannot
    is not the gateway's doing. G = n + 1 in lane 0 and n in the others: the lane in which a message came under
    ``greedy``, and that in which it leaves under ``ordered``.
    """

    def state(self, m, dut):
        """Count the messages of others that begin while one chosen unit waits."""
        config = self.config
        units, lanes = config.units, config.lanes
        me, waited = Signal(range(units)), Signal(range(2 * units * lanes))
        m.d.comb += [me.eq(AnyConst(len(me))), Assume(me < units), Assume(dut.advance)]
        mine, begins, stands = (self.ready >> me)[0], Signal(), Signal(lanes)
        m.d.comb += [begins.eq(dut.valid & ~self.locked), Assume((stands & ~dut.ready) == 0)]
        m.d.sync += stands.eq(dut.ready & ~Mux(begins & (not self.local), 1 << dut.lane, 0))
        my_lane, open_lane, closed = Signal(2), Signal(), Signal()
        m.d.comb += [
            my_lane.eq(reduce(or_, (Mux(me == u, self.lane(u), 0) for u in range(units)))),
            open_lane.eq((dut.ready >> my_lane)[0]),
        ]
        if self.local:
            m.d.comb += Assume(dut.ready.all())
        else:
            m.d.comb += Cover(mine & closed & (waited == 2))
        with m.If(~(self.valid >> me)[0] | mine | dut.cut):
            m.d.sync += [waited.eq(0), closed.eq(0)]
        with m.Elif(begins):
            m.d.sync += [waited.eq(waited + open_lane), closed.eq(closed | ~open_lane)]
        choice = pointer_of(m, self.register("choice", "behind")) if lanes > 1 else C(0)
        for u in range(units):
            for o, size, place, here in self.turns(u):
                pointer = pointer_of(m, self.register(f"group_{o}", "behind"))
                group_ahead = Mux(place >= pointer, place - pointer, place + size - pointer)[: size.bit_length()]
                lane_ahead = Mux(o >= choice, o - choice, o + lanes - choice)[: lanes.bit_length()]
                with m.If((me == u) & here & (self.lane(u) < lanes)):
                    m.d.comb += [Assert(waited < size * lanes), Cover(waited == size * lanes - 1)]
                    # Makes the bound inductive: a message of the group moves its pointer closer, others the upper one.
                    # A broken unit has to go beyond the bound itself.
                    before = Mux((stands >> my_lane)[0] | self.local, lane_ahead, lanes - 1)
                    if self.unit is OutputGateway:
                        m.d.comb += Assert(waited + lanes * group_ahead + before < size * lanes)
