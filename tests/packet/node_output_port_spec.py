"""What the node output port has to promise beside what its slots do."""

from functools import partial

from amaranth.asserts import AnyConst
from amaranth.hdl import Assert, Assume, Cat, Cover, Module, Mux, Signal

from cubecast.rtl.packet.node_output_port import NodeOutputPort
from tests.common.arbiter_spec import pointer_of
from tests.harness.inside import unit
from tests.harness.spec import Spec, drive
from tests.harness.surroundings import beside
from tests.packet.sending import sending_of
from tests.packet.surroundings import OutputSlotSurroundings

__all__ = ["NodeOutputPortSpec"]


class NodeOutputPortSpec(Spec):
    """Words go to all slots that they name or to none; slots take turns at the detour, each packet leaves one way.

    - A word is loaded by the slots it names (slot 0 if by none) when all of them are ready, and by no other.
    - The detour asks for one output at most, the lowest without fault that leads the packet of the slot that has it
      closer; the slot is told to start there only while it wants to, and what the head has to say of it. A packet that
      goes that way is shown there alone, and others by their slots alone, each flit as its slot shows it, which takes
      it for gone when it is taken there. One that is refused is so at its own slot, and no other is.
    - A slot that wants the detour has it after those of at most n - 1 others; whoever has it and neither wants it nor
      sends gives it up.
    - The slots have the surroundings that are stated of them.

    Assumed of the crossbar: a packet is refused only to whom its flits come from, while it is sent.

    Parameters
    ----------
    config : PacketConfig
        Parameters of the router, with ``fault_tolerant``.
    inductive : bool
        Whether the invariants that induction needs are stated, too.
    """

    unit = NodeOutputPort

    def __init__(self, config, unit=None, *, inductive=True):
        self.inductive = inductive
        super().__init__(config, unit)

    def elaborate(self, platform):
        """Drive the port, and look at what its slots are told."""
        m = Module()
        dut, n = self.place(m), self.config.dim
        inject, detour = dut.inject, dut.detour
        drive(m, dut.fault, dut.refusing, inject.valid, inject.data, inject.last, inject.slots)
        drive(m, detour.grant, detour.refused, detour.flit.ready)
        m.d.comb += dut.address.eq(AnyConst(n))
        slots = [unit(self.fragment, *self.inside, f"slot_{j}") for j in range(n)]
        who, via, active = (self.register(name) for name in ("who", "via", "active"))
        named, by_detour, wants, idle = Signal(n), Signal(n), Signal(n), Signal()
        busy, taken = Cat(slot.busy for slot in slots), Signal()
        m.d.comb += [
            named.eq(inject.slots | (inject.slots == 0)),
            taken.eq(inject.valid & ~(named & ~inject.ready).any()),
            by_detour.eq(via & busy),
            wants.eq(Cat(slot.detour_want for slot in slots)),
            Assume((detour.refused & ~by_detour.any()) == 0),
            Assert((by_detour & (by_detour - 1)) == 0),
            Assert((detour.request & (detour.request - 1)) == 0),
            Assert((detour.accept & ~(detour.grant & detour.request)) == 0),
            Assert(
                detour.flit.valid == Cat(j_by & slot.o.valid for j_by, slot in zip(by_detour, slots, strict=True)).any()
            ),
            Assert(~idle | ~active),
        ]
        m.d.sync += idle.eq(active & ~(who & (wants | busy)).any())
        me, waited = Signal(range(n)), Signal(range(2 * n))
        m.d.comb += [me.eq(AnyConst(len(me))), Assume(me < n)]
        chosen = unit(self.fragment, *self.inside, "arbiter").grant
        mine = (Mux(active, who, chosen) >> me)[0]
        with m.If(~(wants >> me)[0] | mine):
            m.d.sync += waited.eq(0)
        with m.Elif(~active):
            m.d.sync += waited.eq(waited + 1)
        m.d.comb += [Assert(waited < n), Cover((waited == n - 1) & active)]
        for j, (slot, side) in enumerate(zip(slots, dut.slot, strict=True)):
            drive(m, side.grant, side.refused, side.flit.ready, dut.report[j].ready)
            started = slot.detour_start
            left, ahead = slot.away & ~detour.accept, Signal(n)
            shown, here, there = (Cat(o.head, o.last, o.bad, o.data) for o in (slot.o, side.flit, detour.flit))
            m.d.comb += ahead.eq(lowest(left))
            m.d.comb += [
                Assume(~side.refused | (busy[j] & ~via[j])),
                Assert(beside(m, f"around_{j}", OutputSlotSurroundings, slot).allowed),
                Assert(slot.load == (taken & named[j])),
                Assert(~started | ((detour.accept == lowest(slot.away & ~dut.fault)) & wants[j])),
                Assert(side.flit.valid == (slot.o.valid & ~via[j])),
                Assert(~side.flit.valid | (here == shown)),
                Assert(~(by_detour[j] & slot.o.valid) | (there == shown)),
                Assert(~slot.o.valid | (slot.o.ready == Mux(via[j], detour.flit.ready, side.flit.ready))),
                Assert(slot.refused == (side.refused | (by_detour[j] & detour.refused))),
                Assert(
                    ~started | (slot.detour_contrary == (self.config.contrary & (lowest(slot.away) != detour.accept)))
                ),
                Assert(~started | (ahead == Mux(left == 0, 0, 1 << slot.detour_next))),
                Assert(~started | (left != 0) | (slot.detour_next == n)),
            ]
        if self.inductive:
            self._inside(m, slots, who, via, active, busy, me, waited)
        return m

    def _inside(self, m, slots, who, via, active, busy, me, waited):
        """Say who has the detour, and that a slot that sends nothing shows nothing; this makes it inductive."""
        n = self.config.dim
        pointer = pointer_of(m, self.register("arbiter", "behind"))
        ahead = Mux(me >= pointer, me - pointer, me + n - pointer)
        m.d.comb += [
            Assert((who & (who - 1)) == 0),
            Assert(~active | who.any()),
            Assert((via & busy & ~Mux(active, who, 0)) == 0),
            Assert(waited + ahead <= n - 1),
            *(
                Assert(~(active & who[j] & slot.detour_want) | (self.register("aim") == slot.away))
                for j, slot in enumerate(slots)
            ),
        ]
        for j, slot in enumerate(slots):
            _, left, fetched = sending_of(partial(self.register, f"slot_{j}", "controller"))
            m.d.comb += [
                Assert(busy[j] | ~(fetched | slot.o.valid)),
                Assert(~(slot.o.valid & slot.o.last) | ((left == 0) & ~fetched)),
            ]


def lowest(vector):
    """Return the lowest set bit alone."""
    return vector & -vector
