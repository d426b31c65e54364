"""Reporter: what could not be done with a message, one report per clock at most."""

from amaranth import *
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out
from amaranth.utils import bits_for

from cubecast.golden.config import Config
from cubecast.golden.message import Reason

from .controller import State
from .link import REASON_BITS, Report

__all__ = ["Reporter"]


class Reporter(wiring.Component):
    """Report a malformed message, and every destination that is not reached, so that nothing is lost silently.

    Undelivered destinations are, for a multicast, the rows left over at termination; for a message with a long list,
    the addresses of the list that only a blocked dimension leads to; for a broadcast, all nodes behind blocked
    dimensions (every non-empty set of them), but not a dead neighbour itself. They are reported in state OUTPUT.
    What is offered is a function of registers, of the Store and of the buffer.

    Parameters
    ----------
    config : Config
        Parameters of the router.

    Ports
    -----
    clear, bad, overlong, reason, header_end : in, 1, 1, 1, 4, 1
        From the input module.
    state : in, 2
        From the controller.
    multicast, listed, broadcast : in
        Type of the message.
    a : in, m * n
        Reference array.
    control : in, n
        Control vector in force, in the clock of ``header_end``.
    fault, no_lane : in, n and 1
        Faulty dimensions; a copy would need a lane beyond the last.
    copies_idle : in
        No copy is on its way, so that the buffer can be read.
    address, k : in, n
        Local address; the k field.
    list_word : in, n
        Address at ``pointer`` in the buffer.
    pointer : out, bits of 0..B
        Address of the list entry looked at; a register.
    reset_rows : out, m
        The row whose report is taken in this clock.
    idle : out
        Nothing is left to report.
    o__valid, o__reason, o__destination, o__ready
        Reports.

    Source: Lan 1988, section 7.5 (what is beyond the fault assumption is to be reported); L13, L15.
    """

    def __init__(self, config: Config):
        self.config = config
        n, rows = config.dim, config.max_dest
        super().__init__(
            {
                "clear": In(1),
                "bad": In(1),
                "overlong": In(1),
                "reason": In(REASON_BITS),
                "header_end": In(1),
                "state": In(2),
                "multicast": In(1),
                "listed": In(1),
                "broadcast": In(1),
                "a": In(rows * n),
                "control": In(n),
                "fault": In(n),
                "no_lane": In(1),
                "copies_idle": In(1),
                "address": In(n),
                "k": In(n),
                "list_word": In(n),
                "pointer": Out(bits_for(config.buffer_depth)),
                "reset_rows": Out(rows),
                "idle": Out(1),
                "o": Out(Report(config)),
            }
        )

    def elaborate(self, platform):
        """Offer the first report that applies."""
        m = Module()
        n, rows = self.config.dim, self.config.max_dest
        pending, good, scanning = Signal(), Signal(), Signal()
        pending_reason = Signal(REASON_BITS)
        lost, faulty, subset = Signal(n), Signal(n), Signal(n)
        filled, left, row = Signal(rows), Signal(), Signal(n)
        relative, behind, dead = Signal(n), Signal(), Signal()
        lost_now = Signal(n)
        m.d.comb += [
            filled.eq(Cat(self.a.word_select(i, n).any() for i in range(rows))),
            left.eq(good & self.multicast & filled.any()),
            relative.eq(self.list_word ^ self.address),
            behind.eq((relative != 0) & ((relative & ~lost) == 0)),
            dead.eq(((subset & (subset - 1)) == 0) & ((subset & faulty) != 0)),
            lost_now.eq(Mux(self.no_lane, self.control, self.control & self.fault)),
            self.idle.eq(~(pending | scanning | left)),
        ]
        for i in range(rows):
            with m.Elif(filled[i]) if i else m.If(filled[i]):
                m.d.comb += row.eq(self.a.word_select(i, n))
        m.d.comb += self.o.reason.eq(Mux(self.no_lane, Reason.NO_LANE, Reason.UNDELIVERABLE))
        with m.If(pending):
            m.d.comb += [self.o.valid.eq(1), self.o.reason.eq(pending_reason)]
            with m.If(self.o.ready):
                m.d.sync += pending.eq(0)
        with m.Elif(self.state == State.OUTPUT):
            with m.If(left):
                m.d.comb += [self.o.valid.eq(1), self.o.destination.eq(row ^ self.address)]
                m.d.comb += self.reset_rows.eq(Mux(self.o.ready, filled & -filled, 0))
            with m.Elif(scanning & self.listed & self.copies_idle):
                m.d.comb += [self.o.valid.eq(behind), self.o.destination.eq(self.list_word)]
                with m.If(self.o.ready | ~behind):
                    m.d.sync += self.pointer.eq(self.pointer + 1)
                    with m.If(self.pointer + 1 == self.k):
                        m.d.sync += scanning.eq(0)
            with m.Elif(scanning & self.broadcast):
                m.d.comb += [self.o.valid.eq(~dead), self.o.destination.eq(subset ^ self.address)]
                with m.If(self.o.ready | dead):
                    m.d.sync += subset.eq((subset - lost) & lost)
                    with m.If(subset == lost):
                        m.d.sync += scanning.eq(0)
        with m.If(self.header_end & ~self.bad):
            m.d.sync += [
                good.eq(1),
                lost.eq(lost_now),
                faulty.eq(self.fault),
                self.pointer.eq(0),
                subset.eq(lost_now & -lost_now),
                scanning.eq(~self.multicast & (lost_now != 0)),
            ]
        with m.If(self.clear):
            m.d.sync += [good.eq(0), scanning.eq(0)]
        with m.If(self.bad | self.overlong):
            m.d.sync += [pending.eq(1), pending_reason.eq(self.reason)]
        return m
