"""Node output port: a buffer slot for each dimension, and the way around faulty links."""

from amaranth import *
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out, connect, flipped

from cubecast.golden.common.contract.units import Requests
from cubecast.golden.packet.contract.config import PacketConfig
from cubecast.golden.packet.contract.packet import KIND_BITS
from cubecast.rtl.common.arbiter import Arbiter
from cubecast.rtl.common.instance import place
from cubecast.rtl.common.report import Report
from cubecast.rtl.common.select import selected
from cubecast.rtl.packet.crossbar import Requester
from cubecast.rtl.packet.next_port import lowbit
from cubecast.rtl.packet.output_slot import OutputSlot

__all__ = ["Inject", "NodeOutputPort"]

FLIT = ("valid", "head", "last", "bad", "data")


class Inject(wiring.Signature):
    """Stream of the words of a node's packets: destination, then data; ``slots`` says which slots take a word.

    A word moves in a cycle with ``valid`` and ``ready`` of all slots named (slot 0 if none is).

    Parameters
    ----------
    config : PacketConfig
        Gives the width of a word and the number of slots.
    kinds : bool
        ``kind`` says what kind of packet it is.
    """

    def __init__(self, config: PacketConfig, *, kinds: bool = False):
        n = config.dim
        kind = {"kind": Out(KIND_BITS)} if kinds else {}
        super().__init__(
            {"valid": Out(1), "data": Out(config.width), "last": Out(1), "slots": Out(n), **kind, "ready": In(n)}
        )


class NodeOutputPort(wiring.Component):
    """Take the node's packets into n buffer slots and offer each to the crossbar when it is complete.

    A packet whose link is faulty goes out over the lowest useful one that is not; one packet at a time.

    Parameters
    ----------
    config : PacketConfig
        Parameters of the router.
    kinds : bool
        The node says of each packet what kind it is.

    Ports
    -----
    address : in, n
        Strap: the node's address.
    fault : in, n
        Faulty links; only with ``fault_tolerant``.
    refusing : in, n
        No contrary packet can be sent in this dimension.
    inject__valid, inject__data, inject__last, inject__slots, inject__ready : 1, w, 1, n, n
        Words of the node.
    inject__kind : in, 2
        Kind of the packet; only with ``kinds``.
    slot__j__request, slot__j__accept, slot__j__closing, slot__j__flit, slot__j__grant, slot__j__refused
        Slot j at the crossbar.
    detour__request, detour__accept, detour__closing, detour__flit, detour__grant, detour__refused
        The slot whose packet goes another way; only with ``fault_tolerant``.
    report__j__valid, report__j__reason, report__j__destination, report__j__ready
        Reports about packets that are not sent.
    committed : out
        A packet is complete in this cycle.

    Source: Buzzard 1988, section 5.4.4, figure 5.7.
    """

    def __init__(self, config: PacketConfig, *, kinds: bool = False):
        self.config = config
        self._kinds = kinds
        n = config.dim
        members = {
            "address": In(n),
            "refusing": In(n),
            "inject": In(Inject(config, kinds=kinds)),
            "slot": Out(Requester(config, 1)).array(n),
            "report": Out(Report(config.dim)).array(n),
            "committed": Out(1),
        }
        if config.fault_tolerant:
            members |= {"fault": In(n), "detour": Out(Requester(config, n))}
        super().__init__(members)

    def elaborate(self, platform):
        """Distribute the words, connect the slots."""
        m = Module()
        config = self.config
        n = config.dim
        kinds = {"kinds": True} if self._kinds else {}
        slots = [place(m, f"slot_{j}", OutputSlot, config, **kinds) for j in range(n)]
        named = Signal(n)
        none = Signal()
        alone = Signal()
        taken = Signal()
        m.d.comb += [
            none.eq(self.inject.slots == 0),
            named.eq(Mux(none, 1, self.inject.slots)),
            # Without a carry chain: all that is loaded waits for it.
            alone.eq(~Cat(bit & named[:place].any() for place, bit in enumerate(named)).any()),
            self.inject.ready.eq(Cat(slot.ready for slot in slots)),
            taken.eq(self.inject.valid & ~(named & ~self.inject.ready).any()),
            self.committed.eq(Cat(slot.committed for slot in slots).any()),
        ]
        for j, (slot, side) in enumerate(zip(slots, self.slot, strict=True)):
            m.d.comb += [
                slot.address.eq(self.address),
                slot.dimension.eq(j),
                slot.refusing.eq(self.refusing[j]),
                slot.load.eq(taken & named[j]),
                slot.data.eq(self.inject.data),
                slot.last.eq(self.inject.last),
                slot.alone.eq(alone),
                slot.none.eq(none),
                slot.grant.eq(side.grant),
                side.request.eq(slot.request),
                side.accept.eq(slot.accept),
                side.closing.eq(slot.closing),
                *(getattr(side.flit, name).eq(getattr(slot.o, name)) for name in FLIT),
                slot.o.ready.eq(side.flit.ready),
                slot.refused.eq(side.refused),
            ]
            connect(m, slot.report, flipped(self.report[j]))
            if self._kinds:
                m.d.comb += slot.kind.eq(self.inject.kind)
        if config.fault_tolerant:
            self._detour(m, slots)
        return m

    def _detour(self, m, slots):
        """Serve one slot whose link is faulty; ``who`` is one-hot.

        What the slot's packet has to cross is kept with it: the packet stays as long as the slot wants the detour.
        """
        config = self.config
        n = config.dim
        detour = self.detour
        arbiter = place(m, "arbiter", Arbiter, Requests(count=n))
        active = Signal()
        who = Signal(n)
        via = Signal(n)
        wants = Signal(n)
        busy = Signal(n)
        refused = Signal(n)
        done = Signal(n)
        way = Signal(n)
        start = Signal()
        aim = Signal(n)
        choice = Signal(n)
        contrary = Signal()
        m.d.comb += [
            wants.eq(Cat(slot.detour_want for slot in slots)),
            busy.eq(Cat(slot.busy for slot in slots)),
            refused.eq(Cat(slot.refused for slot in slots)),
            done.eq(Cat(slot.o.valid & slot.o.last & slot.o.ready for slot in slots)),
            choice.eq(_lowest(aim & ~self.fault)),
            contrary.eq((_lowest(aim) & self.fault).any() if config.contrary else 0),
            way.eq(Mux(active & (wants & who).any(), choice & ~(contrary.replicate(n) & self.refusing), 0)),
            detour.request.eq(way),
            start.eq((way & detour.grant).any()),
            detour.accept.eq(Mux(start, way, 0)),
            arbiter.request.eq(wants),
            arbiter.advance.eq(~active),
        ]
        sending = Signal(n)
        m.d.comb += [
            sending.eq(Mux(active, who & via & busy, 0)),
            detour.closing.eq(selected(sending, [slot.closing for slot in slots])),
            *(
                getattr(detour.flit, name).eq(selected(sending, [getattr(slot.o, name) for slot in slots]))
                for name in FLIT
            ),
        ]
        for j, (slot, side) in enumerate(zip(slots, self.slot, strict=True)):
            m.d.comb += [
                slot.fault.eq(self.fault),
                slot.detour_start.eq(start & who[j]),
                slot.detour_contrary.eq(contrary),
                slot.detour_next.eq(lowbit(aim & ~choice)),
                side.flit.valid.eq(slot.o.valid & ~via[j]),
                slot.o.ready.eq(Mux(via[j], sending[j] & detour.flit.ready, side.flit.ready)),
                slot.refused.eq(side.refused | (active & who[j] & detour.refused)),
            ]
            with m.If(slot.detour_start | slot.accept):
                m.d.sync += via[j].eq(slot.detour_start)
        with m.If(~active):
            m.d.sync += [active.eq(wants.any()), who.eq(arbiter.grant)]
            m.d.sync += aim.eq(selected(arbiter.grant, [slot.away for slot in slots]))
        with m.Elif((who & ((~wants & ~busy) | done | refused)).any()):
            m.d.sync += active.eq(0)


def _lowest(vector):
    """Return the lowest set bit of a vector alone."""
    return Cat(bit & ~vector[:place].any() for place, bit in enumerate(vector))
