"""Injection: the node's packets on their way into the queues, and the checks of their headers."""

from amaranth import *
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out
from amaranth.utils import bits_for

from cubecast.golden.common.contract.units import REASON_BITS
from cubecast.golden.crosspoint.contract.config import CrosspointConfig
from cubecast.golden.crosspoint.contract.word import CrosspointReason, Kind
from cubecast.rtl.common.report import Report
from cubecast.rtl.crosspoint.link import Inject

__all__ = ["Injection"]

PAUSE_BITS = 16
"""Width of the count of cycles without a word."""


class Injection(wiring.Component):
    """Take packets of the node, drop those with illegal headers, end those that are too long or pause. No latency.

    A packet makes one report at most; the rest of a packet that was dropped or ended is taken and goes nowhere.

    Parameters
    ----------
    config : CrosspointConfig
        Parameters of the router.

    Ports
    -----
    inject__valid, inject__data, inject__last, inject__error, inject__r1, inject__r2, inject__kind, inject__ready
        Packets of the node.
    room : in, n
        Room in queue (n, j).
    push_set : in, n + 1
        Queues that the word at the port would go into, were it a legal head.
    address : in, n
        Strap: the node's address.
    push : out, n
        The word goes into queue (n, j).
    last, error : out
        Those of the word for the queues; its other fields are those at the port.
    message_in : out
        A head is taken.
    report__valid, report__reason, report__destination, report__ready
        Reports about packets that were dropped or ended.
    """

    def __init__(self, config: CrosspointConfig):
        self.config = config
        n = config.dim
        super().__init__(
            {
                "inject": In(Inject(config)),
                "room": In(n),
                "push_set": In(n + 1),
                "address": In(n),
                "push": Out(n),
                "last": Out(1),
                "error": Out(1),
                "message_in": Out(1),
                "report": Out(Report(n)),
            }
        )

    def elaborate(self, platform):
        """Build the checks, and the state of the packet that is coming in."""
        m = Module()
        config, inject = self.config, self.inject
        n, limit = config.dim, config.packet_limit
        open_flag, inside, pending = Signal(), Signal(), Signal()
        hold, named = Signal(n), Signal(n)
        count, pause = Signal(bits_for(limit)), Signal(PAUSE_BITS)
        taken, full, event = Signal(), Signal(), Signal()
        illegal, fault, reason = Signal(), Signal(REASON_BITS), Signal(REASON_BITS)
        destination, concerned = Signal(n), Signal(n)
        m.d.comb += [
            inject.ready.eq(inside | (open_flag & ~pending)),
            taken.eq(inject.valid & inject.ready),
            self.message_in.eq(taken & ~inside),
            *self._checked(illegal, fault),
            self.last.eq(inject.last | full),
            self.error.eq((inject.last & inject.error) | full),
        ]
        m.d.sync += open_flag.eq(self.room.all())
        with m.If(self.message_in):
            chosen = Mux(illegal, 0, self.push_set[:n])
            m.d.comb += [
                full.eq(~inject.last & (limit == 1)),
                self.push.eq(chosen),
                event.eq(illegal | full),
                reason.eq(Mux(illegal, fault, CrosspointReason.DATA_TOO_LONG)),
                concerned.eq(self.address ^ inject.r1 ^ Mux(inject.kind == Kind.UNICAST, inject.r2, 0)),
            ]
            m.d.sync += [
                named.eq(concerned),
                count.eq(1),
                pause.eq(0),
                inside.eq(~inject.last),
                hold.eq(Mux(self.last, 0, chosen)),
            ]
        with m.Elif(taken):
            m.d.comb += [
                full.eq(hold.any() & ~inject.last & (count == limit - 1)),
                self.push.eq(hold),
                event.eq(full),
                reason.eq(CrosspointReason.DATA_TOO_LONG),
                concerned.eq(named),
            ]
            m.d.sync += [pause.eq(0), inside.eq(~inject.last)]
            with m.If(hold.any()):
                m.d.sync += count.eq(count + 1)
            with m.If(self.last):
                m.d.sync += hold.eq(0)
        if config.pause_limit:
            with m.Elif(inside & hold.any()):
                m.d.sync += pause.eq(pause + 1)
                with m.If(pause == config.pause_limit - 1):
                    m.d.comb += [
                        self.push.eq(hold),
                        self.last.eq(1),
                        self.error.eq(1),
                        event.eq(1),
                        reason.eq(CrosspointReason.PAUSED),
                        concerned.eq(named),
                    ]
                    m.d.sync += [hold.eq(0), pause.eq(0)]
        reported = Signal(REASON_BITS)
        with m.If(event):
            m.d.sync += [pending.eq(1), reported.eq(reason), destination.eq(concerned)]
        with m.Elif(self.report.ready):
            m.d.sync += pending.eq(0)
        m.d.comb += [
            self.report.valid.eq(pending),
            self.report.reason.eq(reported),
            self.report.destination.eq(destination),
        ]
        return m

    def _checked(self, illegal, fault):
        """Say whether the word at the port is no legal head, without the way through the reason, and why."""
        config, inject = self.config, self.inject
        b, r1, r2 = config.bitmap_dims, inject.r1, inject.r2
        none = ~(r1 | r2).any()
        lowest = ((r1 & -r1) & (r2 & -r2))[: config.dim].any()
        causes = {Kind.UNICAST: [(none, CrosspointReason.EMPTY), (lowest, CrosspointReason.TURN_BACK)]}
        if config.runs == 1:
            causes[Kind.UNICAST].insert(0, (r2.any(), CrosspointReason.SECOND_RUN))
        if config.multicast:
            causes[Kind.SUBCUBE] = [((r1 & r2).any(), CrosspointReason.BAD_SET), (none, CrosspointReason.EMPTY)]
            causes[Kind.BITMAP] = [
                (r2.any() | r1[:b].any(), CrosspointReason.BAD_SET),
                (inject.data[config.bitmap_bits :].any(), CrosspointReason.ADDRESS_BITS),
                (~inject.data[: config.bitmap_bits].any(), CrosspointReason.EMPTY),
                (~r1.any() & inject.data[0], CrosspointReason.OWN_SOURCE),
            ]
        found, why = C(1, 1), C(CrosspointReason.BAD_KIND, REASON_BITS)
        for kind, mine in causes.items():
            found = Mux(inject.kind == kind, Cat(cause for cause, _ in mine).any(), found)
            why = Mux(inject.kind == kind, _first(mine), why)
        return illegal.eq(found), fault.eq(why)


def _first(causes):
    """Return the reason of the first cause that holds, or 0."""
    found = C(0, REASON_BITS)
    for cause, reason in reversed(causes):
        found = Mux(cause, reason, found)
    return found
