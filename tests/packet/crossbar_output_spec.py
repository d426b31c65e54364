"""What an output of the crossbar has to promise."""

from amaranth.asserts import AnyConst, AnySeq
from amaranth.hdl import Array, Assert, Assume, C, Cat, Cover, Module, Mux, Signal
from amaranth.lib import wiring

from cubecast.golden.packet.contract.config import PacketConfig
from cubecast.golden.packet.contract.reason import PacketReason
from cubecast.rtl.packet.crossbar_output import CrossbarOutput
from tests.harness.inside import opened, register, unit
from tests.packet.tree_arbiter_spec import credit

__all__ = ["CrossbarOutputSpec"]


class CrossbarOutputSpec(wiring.Component):
    """Packets pass whole, one after the other, each chosen by its request while there is room, all in their turns.

    - At most one requester has a grant; a new one goes to a requester of the cycle before, in which the receiver was
      open (or the link cut). While a packet passes, the next is chosen only when all its words are read and its head
      is two cycles away, so that the receiver has counted it.
    - Only one requester's flits are taken, from its first to its last (or until it is refused), and what leaves is
      the flit taken, unchanged; nothing leaves over a cut link, and nothing that is no word leaves over a link. Each
      other flit that is taken leaves, unless its packet was chosen while the receiver was closed, or the link was cut
      since its head. A packet is refused only after its head.
    - When nothing is chosen or passes, and the receiver is open, a request is chosen at once. While a request lasts,
      at most 2^ceil(log2(K)) - 1 packets of others are chosen before it.
    - A packet that is dropped is reported once, any other not at all, and only into an empty queue: none is lost.

    Parameters
    ----------
    config : PacketConfig
        Parameters of the router.
    count : int
        Number of requesters K, at least 2.
    local : bool
        Whether it is the output to the node, which is never cut and never refuses.
    unit : class
        The design to be checked; a broken one must be refuted.
    """

    def __init__(self, config: PacketConfig, count: int, *, local: bool = False, unit=CrossbarOutput):
        self.config, self.count, self.local, self.unit = config, count, local, unit
        super().__init__({})

    def elaborate(self, platform):
        """Place the output with free inputs, and follow grants and flits."""
        m = Module()
        self.dut = dut = self.unit(self.config, count=self.count, local=self.local)
        m.submodules.dut = self._fragment = opened(dut)
        self._inside = () if self.unit is CrossbarOutput else ("inner",)
        for port in (dut.request, dut.accept, dut.closing, dut.open, dut.o.ready, dut.report.ready):
            m.d.comb += port.eq(AnySeq(len(port)))
        m.d.comb += [port.eq(0 if self.local else AnySeq(1)) for port in (dut.cut, dut.refused)]
        for i in dut.i:
            m.d.comb += [port.eq(AnySeq(len(port))) for port in (i.valid, i.head, i.last, i.bad, i.data)]
        self.held, self.owner = self.register("held"), self.register("owner")
        self._grants(m)
        self._flits(m)
        self._turns(m)
        return m

    def register(self, *path):
        """Return a register of the output."""
        return register(self._fragment, *self._inside, *path)

    def _grants(self, m):
        """State who may be granted when."""
        dut, count = self.dut, self.count
        before, requested, opened_before = Signal(count), Signal(count), Signal()
        m.d.sync += [before.eq(dut.grant), requested.eq(dut.request), opened_before.eq(dut.open | dut.cut)]
        pending, following = self.register("pending"), self.register("following")
        m.d.comb += [
            Assert((dut.grant & (dut.grant - 1)) == 0),
            Assert((dut.grant == before) | (dut.grant == 0) | (before == 0)),
            Assert(~(dut.grant.any() & ~before.any()) | (opened_before & ((dut.grant & ~requested) == 0))),
            # Makes it inductive: grants are for the one chosen.
            Assert(~pending | (following.any() & ((following & (following - 1)) == 0))),
            Assert(~before.any() | ~dut.grant.any() | (following == before)),
            Assert(
                ~(pending & ~self.register("accepted") & ~before.any())
                | (opened_before & ~(following & ~requested).any())
            ),
        ]

    def _flits(self, m):
        """State whose flits pass, and that they pass unchanged."""
        dut, count, held, owner = self.dut, self.count, self.held, self.owner
        ready = Cat(i.ready for i in dut.i)
        taken, head, last, bad = Signal(), Signal(), Signal(), Signal()
        begun, sender = Signal(), Signal(count)
        gone, seen, over = Signal(), Signal(), Signal()
        # The packet chosen last was so only because of the cut; the one that passes is dropped, from its head on.
        closed, dropped, drop = Signal(), Signal(), Signal()
        to, destination = Signal(self.config.dim), Signal(self.config.dim)
        m.d.comb += [
            taken.eq(ready.any()),
            head.eq(Cat(i.ready & i.head for i in dut.i).any()),
            last.eq(Cat(i.ready & i.last for i in dut.i).any()),
            bad.eq(Cat(i.ready & i.bad for i in dut.i).any()),
            drop.eq(dut.cut | Mux(gone, dropped, closed)),
            over.eq(last | dut.refused_to.any()),
            Assert((ready & (ready - 1)) == 0),
            Assert(dut.refused_to == Mux(dut.refused & gone & ~drop, sender, 0)),
            Assert(~begun | ((ready & ~sender) == 0)),
            Assert(~(dut.o.valid & dut.o.ready) | taken),
            Assert(~taken | drop | (bad & (not self.local)) | (dut.o.valid & dut.o.ready)),
            Assert(~(dut.o.valid & dut.cut)),
            Assert(self.local | ~(dut.o.valid & dut.o.bad)),
        ]
        for k, i in enumerate(dut.i):
            flit = Cat(i.head, i.last, i.bad, i.data)
            with m.If(i.ready):
                m.d.comb += Assert(
                    i.valid & (~dut.o.valid | (Cat(dut.o.head, dut.o.last, dut.o.bad, dut.o.data) == flit))
                )
                m.d.sync += sender.eq(1 << k)
                m.d.comb += to.eq(i.data)
        m.d.sync += [begun.eq((begun | taken) & ~over), gone.eq((gone | head) & ~over), seen.eq(gone & ~over)]
        arbiter = unit(self._fragment, *self._inside, "arbiter")
        with m.If(arbiter.grant.any()):
            m.d.sync += closed.eq(~dut.open)
        with m.If(head):
            m.d.sync += [dropped.eq(drop), destination.eq(to)]
        with m.Elif(gone & dut.cut):
            m.d.sync += dropped.eq(1)
        with m.If(arbiter.grant.any() & begun):
            m.d.comb += Assert(seen & (dut.closing & sender).any())
        reports = unit(self._fragment, *self._inside, "reports")
        head_gone, head_seen = self.register("head_gone"), self.register("head_seen")
        refused, cut_short = head & drop, ~head & gone & dut.cut & ~dropped
        told = Cat(reports.reason, reports.destination)
        m.d.comb += [
            Assert(reports.put == (refused | cut_short)),
            Assert(~refused | (told == Cat(C(PacketReason.UNDELIVERABLE, len(reports.reason)), to))),
            Assert(~cut_short | (told == Cat(C(PacketReason.PACKET_CUT, len(reports.reason)), destination))),
            Assert(~reports.put | reports.calm),
            Cover(arbiter.grant.any() & begun),
            # Make the statements inductive.
            Assert(~held | (owner.any() & ((owner & (owner - 1)) == 0))),
            Assert(~begun | (held & (owner == sender))),
            Assert((begun | ~gone) & (gone | ~seen)),
            Assert(~held | (Cat(head_gone, head_seen) == Cat(gone, seen))),
            Assert(self.register("doomed") == closed),
            Assert(~held | (self.register("dropping") == Mux(gone, dropped, closed))),
            Assert(~gone | (self.register("destination") == destination)),
            Assert(~(held & head_gone & ~self.register("dropping")) | reports.calm),
        ]

    def _turns(self, m):
        """Count the packets of others that are chosen while one chosen request waits."""
        dut, count = self.dut, self.count
        bound = (1 << (count - 1).bit_length()) - 1
        arbiter = unit(self._fragment, *self._inside, "arbiter")
        me, waited = Signal(range(count)), Signal(range(2 * bound + 2))
        m.d.comb += [me.eq(AnyConst(len(me))), Assume(me < count)]
        with m.If(~(dut.request >> me)[0] | (arbiter.grant >> me)[0]):
            m.d.sync += waited.eq(0)
        with m.Elif(arbiter.grant.any()):
            m.d.sync += waited.eq(waited + 1)
        left = Array(credit(lambda name: self.register("arbiter", name, "toggle"), count, k) for k in range(count))
        idle = ~self.register("pending") & ~self.held
        m.d.comb += Assert(~(idle & (dut.open | dut.cut) & dut.request.any()) | arbiter.grant.any())
        m.d.comb += [Assert(waited <= bound), Assert(waited + left[me] <= bound), Cover(waited == C(bound))]
