"""Reporter: what could not be done with a message, one report per cycle at most."""

from amaranth import *
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out
from amaranth.utils import bits_for

from cubecast.golden.common.contract.units import REASON_BITS
from cubecast.golden.multicast.contract.config import Config
from cubecast.golden.multicast.contract.reason import Reason
from cubecast.golden.multicast.contract.states import State
from cubecast.rtl.common.pointed_memory import Foreseen
from cubecast.rtl.common.report import Report

__all__ = ["Reporter"]


class Reporter(wiring.Component):
    """Report a malformed message, and every destination that is not reached, so that nothing is lost silently.

    Undelivered destinations are, for a multicast, the rows left over at termination; for other messages, what lies
    behind the dimensions that are blocked when the header is complete, and behind those in which a copy was lost later:
    a scan is over the relative addresses ``base`` OR any subset of ``mask``, in the list of the message or, for a
    broadcast, all of them. A copy that broke off after its header is reported by the neighbour's address. All but
    malformed messages and broken copies is reported in state OUTPUT. What is offered is a function of registers, of the
    Store, of the buffer, and of the dimensions that are blocked.

    Parameters
    ----------
    config : Config
        Parameters of the router.

    Ports
    -----
    clear, bad, truncated, reason, header_end : in, 1, 1, 1, 4, 1
        From the input module.
    state : in, 2
        From the controller.
    multicast, listed, broadcast : in
        Type of the message.
    terminate : in
        The multicaster has nothing left to decide.
    a : in, m * n
        Reference array.
    control : in, n
        Control vector in force, in the cycle of ``header_end``.
    fault, no_lane : in, n
        Links that are cut; dimensions in which a copy would need a lane beyond the last.
    copies_idle : in
        No copy is on its way, so that the buffer can be read.
    address, k : in, n
        Local address; the k field.
    list_word : in, n
        Address at ``pointer`` in the buffer.
    lost, broken, committed : in, n and n and 1
        From the output module.
    source : in, n
        Control vector in the Store.
    kept : in, n
        Dimensions that the copies take over because they are blocked here.
    controls : in, n * n
        Control vector of the copy in dimension j as item j.
    pointer : out, bits of 0..B
        Address of the list entry looked at; a register.
    ahead : out, bits of 0..B
        What ``pointer`` will be in the next cycle if there is no reset; with ``memories`` = block, and only where lists
        are in the buffer.
    reset_rows : out, m
        The row whose report is taken in this cycle.
    keep : out, n
        A dimension whose copy was lost, and which the other copies take over from the next cycle on.
    idle : out
        Nothing is left to report.
    o__valid, o__reason, o__destination, o__ready
        Reports.

    Source: Lan 1988, section 7.5 (what is beyond the fault assumption is to be reported); L13, L15.
    """

    def __init__(self, config: Config):
        self.config = config
        n, rows, pointer = config.dim, config.max_dest, Out(bits_for(config.buffer_depth))
        super().__init__(
            {
                "clear": In(1),
                "bad": In(1),
                "truncated": In(1),
                "reason": In(REASON_BITS),
                "header_end": In(1),
                "state": In(State),
                "multicast": In(1),
                "listed": In(1),
                "broadcast": In(1),
                "terminate": In(1),
                "a": In(rows * n),
                "control": In(n),
                "fault": In(n),
                "no_lane": In(n),
                "copies_idle": In(1),
                "address": In(n),
                "k": In(n),
                "list_word": In(n),
                "lost": In(n),
                "broken": In(n),
                "committed": In(1),
                "source": In(n),
                "kept": In(n),
                "controls": In(n * n),
                "pointer": pointer,
                **({"ahead": pointer} if config.reads_ahead and config.carries_lists else {}),
                "reset_rows": Out(rows),
                "keep": Out(n),
                "idle": Out(1),
                "o": Out(Report(config.dim)),
            }
        )

    def elaborate(self, platform):
        """Offer the first report that applies; later assignments win over earlier ones."""
        m = Module()
        n = self.config.dim
        self._scanning = Signal(name="scanning")
        self._base, self._mask, self._subset = (Signal(n, name=name) for name in ("base", "mask", "subset"))
        self._scan_no_lane = Signal(name="scan_no_lane")
        self._complete, self._no_lane_only = Signal(), Signal(n)
        self._reading = Foreseen(m, self.pointer, getattr(self, "ahead", None))
        pending = Signal()
        pending_reason = Signal(REASON_BITS)
        cut_copies = Signal(n)
        lost_copies = Signal(n)
        broken_port = Signal(n)
        m.d.comb += [
            self._complete.eq(self.header_end & ~self.bad),
            self._no_lane_only.eq(self.no_lane & ~self.fault),
            broken_port.eq(_lowest(cut_copies)),
        ]
        good, left, row, lowest = self._leftover(m)
        m.d.comb += self.idle.eq(~(pending | cut_copies.any() | lost_copies.any() | self._scanning | left))
        m.d.sync += cut_copies.eq(cut_copies | self.broken)
        with m.If(pending):
            m.d.comb += [self.o.valid.eq(1), self.o.reason.eq(pending_reason)]
            with m.If(self.o.ready):
                m.d.sync += pending.eq(0)
        with m.Elif(cut_copies.any()):
            m.d.comb += [self.o.valid.eq(1), self.o.reason.eq(Reason.COPY_CUT)]
            m.d.comb += self.o.destination.eq(broken_port ^ self.address)
            with m.If(self.o.ready):
                m.d.sync += cut_copies.eq((cut_copies & ~broken_port) | self.broken)
        with m.Elif(self.state == State.OUTPUT):
            with m.If(left & self.terminate):
                m.d.comb += [self.o.valid.eq(1), self.o.destination.eq(row ^ self.address)]
                m.d.comb += self.o.reason.eq(_why(self._wants_lane(row)))
                m.d.comb += self.reset_rows.eq(Mux(self.o.ready, lowest, 0))
            with m.Elif(self._scanning & self.listed & self.copies_idle):
                self._scan_list(m)
            with m.Elif(self._scanning & self.broadcast):
                self._scan_all(m)
        self._begin(m, lost_copies)
        with m.If(self._complete):
            m.d.sync += good.eq(1)
        with m.If(self.clear):
            m.d.sync += [good.eq(0), self._scanning.eq(0), cut_copies.eq(0), lost_copies.eq(0)]
        with m.If(self.bad | self.truncated):
            m.d.sync += [pending.eq(1), pending_reason.eq(self.reason)]
        return m

    def _wants_lane(self, wanted):
        """Return whether one of the wanted dimensions lacks nothing but a lane."""
        return (wanted & self._no_lane_only).any()

    def _leftover(self, m):
        """Find the lowest row of a multicast that is still there; return the flag of a complete header, and the row."""
        n, rows = self.config.dim, self.config.max_dest
        good = Signal()
        left, row, filled = Signal(), Signal(n), Signal(rows)
        m.d.comb += [
            filled.eq(Cat(self.a.word_select(i, n).any() for i in range(rows))),
            left.eq(good & self.multicast & filled.any()),
        ]
        for i in range(rows):
            with m.Elif(filled[i]) if i else m.If(filled[i]):
                m.d.comb += row.eq(self.a.word_select(i, n))
        return good, left, row, _lowest(filled)

    def _scan_list(self, m):
        """Report an address of the list, or pass over it."""
        relative, behind = Signal(self.config.dim), Signal()
        elsewhere = (self._base & ~relative) | (relative & ~self._base & ~self._mask)
        m.d.comb += [
            relative.eq(self.list_word ^ self.address),
            behind.eq(relative.any() & ~elsewhere.any()),
            self.o.valid.eq(behind),
            self.o.reason.eq(_why(self._scan_no_lane)),
            self.o.destination.eq(self.list_word),
        ]
        with m.If(self.o.ready | ~behind):
            self._reading.becomes(self.pointer + 1)
            with m.If(self.pointer + 1 == self.k):
                m.d.sync += self._scanning.eq(0)

    def _scan_all(self, m):
        """Report the next subset of the mask."""
        m.d.comb += [
            self.o.valid.eq(1),
            self.o.reason.eq(_why(self._scan_no_lane)),
            self.o.destination.eq((self._base | self._subset) ^ self.address),
        ]
        with m.If(self.o.ready):
            m.d.sync += self._subset.eq((self._subset - self._mask) & self._mask)
            with m.If(self._subset == self._mask):
                m.d.sync += self._scanning.eq(0)

    def _begin(self, m, lost_copies):
        """Begin a scan with the end of the header, or for a lost copy when no other scan is under way."""
        n = self.config.dim
        port, vector, blocked = Signal(n), Signal(n), Signal(n)
        m.d.comb += blocked.eq(self.control & (self.fault | self.no_lane))
        m.d.comb += port.eq(_lowest(lost_copies))
        for j in range(n):
            with m.If(port[j]):
                m.d.comb += vector.eq(self.controls.word_select(j, n))
        m.d.sync += lost_copies.eq(lost_copies | self.lost)
        with m.If(self._complete):
            m.d.sync += [
                self._base.eq(0),
                self._mask.eq(blocked),
                self._subset.eq(_lowest(blocked)),
                self._scan_no_lane.eq(self._wants_lane(self.control)),
                self._scanning.eq(~self.multicast & blocked.any()),
            ]
            self._reading.becomes(0)
        with m.Elif(~self._scanning & lost_copies.any()):
            m.d.comb += self.keep.eq(Mux(self.committed, 0, port))
            m.d.sync += [
                lost_copies.eq((lost_copies & ~port) | self.lost),
                self._base.eq(port),
                self._mask.eq(Mux(self.committed, vector, self.source & self.kept)),
                self._subset.eq(0),
                self._scan_no_lane.eq(0),
                self._scanning.eq(1),
            ]
            self._reading.becomes(0)


def _why(no_lane):
    """Return the reason for a destination that is not reached."""
    return Mux(no_lane, Reason.NO_LANE, Reason.UNDELIVERABLE)


def _lowest(bits):
    """Return the lowest bit that is set, alone."""
    return Cat(bits[i] & ~bits[:i].any() for i in range(len(bits)))
