"""What the injection port has to promise."""

from amaranth.asserts import AnyConst, AnySeq
from amaranth.hdl import Assert, Cover, Module, Mux, Signal
from amaranth.utils import bits_for

from cubecast.golden.crosspoint.contract.units import Crosspoint
from cubecast.golden.crosspoint.contract.word import CrosspointReason, Kind
from cubecast.rtl.crosspoint.injection import Injection
from cubecast.rtl.crosspoint.next_set import NextSet
from cubecast.rtl.crosspoint.run_end import RunEnd
from tests.crosspoint.legal_head import is_legal
from tests.harness.spec import Spec

__all__ = ["InjectionSpec"]

ILLEGAL, LONG, PAUSED = range(3)
"""Why a packet is reported."""


class InjectionSpec(Spec):
    """Only packets with a legal head get into the queues, none of them is too long, and each is ended.

    Whatever the node does:

    - A word is pushed only as part of a packet whose head is legal; ``golden/crosspoint/algorithms`` says which are.
    - The head of a legal packet is pushed into at least one queue, and only if all had room in the cycle before; its
      other words go into the same queues, and after one with ``last`` no more do.
    - At most P words of a packet are pushed, the P-th one with ``last``. From one to the next it takes ``pause_limit``
      cycles at most; so it is ended after (P - 1) ``pause_limit`` cycles.
    - What is ended before the node ends it is ended with ``error``; a word with ``error`` has ``last``.
    - One report for each packet that is illegal, too long or pauses, which says so and where it was to go, none for
      others; no head is taken while one waits.
    - Words of a packet once begun are always taken.

    Parameters
    ----------
    config : CrosspointConfig
        Parameters of the router: small n, ``pause_limit`` not 0.
    """

    unit = Injection

    def elaborate(self, platform):
        """Follow the packet that is coming in."""
        m = Module()
        config = self.config
        n, limit, pause_limit = config.dim, config.packet_limit, config.pause_limit
        crosspoint = Crosspoint(router=config, input=n, output=n)
        dut, end, first = self.place(m), RunEnd(crosspoint), NextSet(crosspoint)
        m.submodules.run_end, m.submodules.next_set = end, first
        inject = dut.inject
        for port in (inject.valid, inject.data, inject.last, inject.error, inject.r1, inject.r2, inject.kind):
            m.d.comb += port.eq(AnySeq(len(port)))
        m.d.comb += [dut.room.eq(AnySeq(n)), dut.report.ready.eq(AnySeq(1)), dut.address.eq(AnyConst(n))]
        m.d.comb += [getattr(end, name).eq(getattr(inject, name)) for name in ("r1", "r2", "kind")]
        m.d.comb += [getattr(first, name).eq(getattr(inject, name)) for name in ("data", "r1", "r2", "kind")]
        m.d.comb += [first.over.eq(end.over), first.turns.eq(end.turns), dut.push_set.eq(first.push)]

        # Of the node's packet; of what is pushed of it, its words, queues, and cycles since the last one and the first.
        begun, open_, room = Signal(), Signal(), Signal()
        sent, chosen = Signal(bits_for(limit)), Signal(n)
        silent, age = Signal(range(pause_limit + 1)), Signal(range(limit * pause_limit + 1))
        reported, event, shown, expected = Signal(), Signal(), Signal(), Signal()
        cause, due, goal, named, told = Signal(2), Signal(2), Signal(n), Signal(n), Signal(n)
        taken, pushed, legal = Signal(), Signal(), Signal()
        head = taken & ~begun
        own = taken & inject.last
        m.d.comb += [
            taken.eq(inject.valid & inject.ready),
            pushed.eq(dut.push.any()),
            legal.eq(is_legal(config, inject)),
            event.eq(Mux(head, ~legal, 0) | (pushed & dut.last & ~own)),
            cause.eq(Mux(head & ~legal, ILLEGAL, Mux(taken, LONG, PAUSED))),
            goal.eq(Mux(head, dut.address ^ inject.r1 ^ Mux(inject.kind == Kind.UNICAST, inject.r2, 0), named)),
        ]
        m.d.sync += named.eq(goal)
        with m.If(event):
            m.d.sync += [due.eq(cause), told.eq(goal)]
        reason = dut.report.reason
        says = Mux(
            reason == CrosspointReason.DATA_TOO_LONG, LONG, Mux(reason == CrosspointReason.PAUSED, PAUSED, ILLEGAL)
        )
        m.d.sync += [room.eq(dut.room.all()), expected.eq(event), shown.eq(dut.report.valid & ~dut.report.ready)]
        with m.If(taken):
            m.d.sync += begun.eq(~inject.last)
        with m.If(pushed):
            m.d.sync += [open_.eq(~dut.last), sent.eq(Mux(head, 1, sent + 1)), silent.eq(0), chosen.eq(dut.push)]
        with m.Elif(open_):
            m.d.sync += silent.eq(silent + 1)
        m.d.sync += age.eq(Mux(head, 0, age + open_))
        fresh = dut.report.valid & ~shown
        m.d.sync += reported.eq(Mux(head, 0, reported | fresh))
        m.d.comb += [
            Assert(dut.message_in == head),
            Assert(~pushed | (head & legal) | open_),
            Assert(~(head & open_)),
            Assert(~(head & legal) | (pushed & room)),
            Assert(~pushed | head | (dut.push == chosen)),
            Assert(~(pushed & ~head) | (sent < limit)),
            Assert(~pushed | dut.last | (Mux(head, 0, sent) < limit - 1)),
            Assert(~open_ | (silent < pause_limit)),
            Assert(~open_ | (age < (limit - 1) * pause_limit)),
            Assert(~(pushed & dut.last & ~own) | dut.error),
            Assert(~(pushed & dut.error) | dut.last),
            Assert(~(pushed & own) | (dut.last & (dut.error == inject.error))),
            Assert(~begun | inject.ready),
            Assert(~(head & dut.report.valid)),
            Assert(fresh == expected),
            Assert(~(fresh & reported)),
            Assert(~dut.report.valid | ((says == due) & (dut.report.destination == told))),
            # A full packet in which the node paused for as long as it may.
            Cover(pushed & own & (sent == limit - 1) & (age == (limit - 1) * pause_limit - 1)),
            # The rest of a packet that was ended, and the next one.
            Cover(head & legal & reported),
        ]
        if self.unit is Injection:
            packet = begun, open_, sent, chosen, silent, age
            m.d.comb += Assert(self.register("named") == named)
            self._invariants(m, room, packet, (expected, reported, shown))
        return m

    def _invariants(self, m, room, packet, report):
        """Make the statements inductive: what the registers of the unit say of the packet and its report."""
        begun, open_, sent, chosen, silent, age = packet
        expected, reported, shown = report
        limit, pause_limit = self.config.packet_limit, self.config.pause_limit
        inside, hold, count, pause, pending, flag = (
            self.register(name) for name in ("inside", "hold", "count", "pause", "pending", "open_flag")
        )
        m.d.comb += [
            Assert(inside == begun),
            Assert(flag == room),
            Assert(hold == Mux(open_, chosen, 0)),
            Assert(~open_ | (begun & chosen.any() & (count == sent) & (pause == silent))),
            Assert(~open_ | ((sent >= 1) & (sent < limit))),
            Assert(~open_ | (age <= (sent - 1) * pause_limit + silent)),
            Assert(~shown | (pending & reported)),
            Assert(~(pending & ~shown) | expected),
            Assert(~((pending | reported | expected) & open_)),
            Assert(~(expected & reported)),
            Assert(~expected | pending),
        ]
