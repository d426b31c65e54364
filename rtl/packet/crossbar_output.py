"""Crossbar output: one column of the crossbar, with its arbiter."""

from functools import reduce
from operator import or_

from amaranth import *
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out, connect, flipped

from cubecast.golden.packet.contract.config import PacketConfig
from cubecast.golden.packet.contract.reason import PacketReason
from cubecast.rtl.common.instance import place
from cubecast.rtl.common.report import Report
from cubecast.rtl.common.report_queue import ReportQueue
from cubecast.rtl.packet.link import Flit
from cubecast.rtl.packet.tree_arbiter import TreeArbiter

__all__ = ["CrossbarOutput"]


class CrossbarOutput(wiring.Component):
    """Let packets of several requesters through one output, one after the other, and drop them while the link is cut.

    A request is granted in the cycle after the one in which the arbiter chose it. The requester answers with
    ``accept`` and has its head in the cycle after that; flits pass without latency. The next packet is chosen while
    the last words of one pass.

    Parameters
    ----------
    config : PacketConfig
        Parameters of the router.
    count : int
        Number of requesters K, at least 1.
    local : bool
        Output to the node: flits that say that a packet ended early pass too. The requesters' are not sent over links,
        where a gap says so.

    Ports
    -----
    request, accept, closing : in, K
        A requester has a packet for this output; takes the grant; has no more words to read.
    i__k__valid, i__k__head, i__k__last, i__k__bad, i__k__data, i__k__ready
        Flits of requester k.
    open : in
        A packet can be sent.
    cut : in
        The link is out of use: packets are dropped.
    refused : in
        The receiver refused the packet that is being sent.
    grant : out, K
        The packet of this requester may come; a function of registers.
    refused_to : out, K
        ``refused``, to the requester whose packet it is.
    o__valid, o__head, o__last, o__bad, o__data, o__ready
        Flits that leave.
    waited, word_out, packet_out : out
        A request stands without being chosen; a head or word, the end of a packet leaves in this cycle.
    report__valid, report__reason, report__destination, report__ready
        Reports about dropped packets.

    Source: Buzzard 1988, section 5.4.3, figures 5.5 and 5.6.
    """

    def __init__(self, config: PacketConfig, *, count: int, local: bool = False):
        self.config = config
        self.count = count
        self.local = local
        super().__init__(
            {
                "request": In(count),
                "accept": In(count),
                "closing": In(count),
                "i": In(Flit(config)).array(count),
                "open": In(1),
                "cut": In(1),
                "refused": In(1),
                "grant": Out(count),
                "refused_to": Out(count),
                "o": Out(Flit(config)),
                "waited": Out(1),
                "word_out": Out(1),
                "packet_out": Out(1),
                "report": Out(Report(config.dim)),
            }
        )

    def elaborate(self, platform):
        """Arbitrate, hand over from one packet to the next, pass or drop flits; owner and next are one-hot."""
        m = Module()
        count = self.count
        arbiter = place(m, "arbiter", TreeArbiter, self.config, count=count)
        reports = place(m, "reports", ReportQueue, self.config.control)
        connect(m, reports.o, flipped(self.report))
        held = Signal()
        head_gone = Signal()
        head_seen = Signal()
        dropping = Signal()
        pending = Signal()
        accepted = Signal()
        doomed = Signal()
        owner = Signal(count)
        following = Signal(count)
        destination = Signal(self.config.dim)
        f = {
            name: _selected(owner, [getattr(i, name) for i in self.i])
            for name in ("valid", "head", "last", "bad", "data")
        }

        drop = Signal()
        able = Signal()
        passes = Signal()
        take = Signal()
        m.d.comb += [
            drop.eq(dropping | self.cut),
            # A head waits until there is room for the report that it may cause.
            able.eq(held & f["valid"] & (~f["head"] | reports.calm)),
            passes.eq(1 if self.local else ~f["bad"]),
            self.o.valid.eq(able & ~drop & passes),
            self.o.head.eq(f["head"]),
            self.o.last.eq(f["last"]),
            self.o.bad.eq(f["bad"]),
            self.o.data.eq(f["data"]),
            take.eq(able & (drop | ~passes | self.o.ready)),
            self.word_out.eq(self.o.valid & self.o.ready & ~f["bad"]),
            self.packet_out.eq(self.word_out & f["last"]),
        ]
        for k, i in enumerate(self.i):
            # As ``take`` says, but of its own flit alone: what others offer is not on the way to it.
            stays = 0 if self.local else i.bad
            m.d.comb += i.ready.eq(owner[k] & held & i.valid & (~i.head | reports.calm) & (drop | stays | self.o.ready))

        over = Signal()
        sent_back = Signal()
        m.d.comb += [
            # Anything else is about a head that is given up already.
            sent_back.eq(self.refused & held & head_gone & ~drop),
            self.refused_to.eq(Mux(sent_back, owner, 0)),
            over.eq((take & f["last"]) | sent_back),
        ]
        m.d.sync += head_seen.eq(head_gone)
        with m.If(take & f["head"]):
            m.d.sync += [head_gone.eq(1), destination.eq(f["data"][: self.config.dim])]
        with m.If(take & f["head"] & drop):
            m.d.sync += dropping.eq(1)
            m.d.comb += [
                reports.put.eq(1),
                reports.reason.eq(PacketReason.UNDELIVERABLE),
                reports.destination.eq(f["data"][: self.config.dim]),
            ]
        with m.Elif(held & head_gone & self.cut & ~dropping):
            m.d.sync += dropping.eq(1)
            m.d.comb += [
                reports.put.eq(1),
                reports.reason.eq(PacketReason.PACKET_CUT),
                reports.destination.eq(destination),
            ]

        agreed = Signal()
        vacant = Signal()
        m.d.comb += [
            self.grant.eq(Mux(pending & ~accepted, following, 0)),
            agreed.eq(accepted | (pending & (self.accept & following).any())),
            vacant.eq(~held | over),
        ]
        with m.If(pending & agreed & vacant):
            m.d.sync += [held.eq(1), owner.eq(following), pending.eq(0), accepted.eq(0)]
            m.d.sync += [head_gone.eq(0), head_seen.eq(0), dropping.eq(doomed)]
        with m.Else():
            m.d.sync += accepted.eq(agreed)
            with m.If(over):
                m.d.sync += held.eq(0)
            with m.If(pending & ~agreed & ~(self.request & following).any()):
                m.d.sync += pending.eq(0)

        # Not before the receiver has had a cycle to count the packet being sent.
        choosing = ~pending & (~held | ((self.closing & owner).any() & head_seen))
        m.d.comb += [
            arbiter.request.eq(self.request),
            arbiter.open.eq(choosing & (self.open | self.cut)),
            arbiter.advance.eq(1),
            self.waited.eq((self.request & ~Mux(pending, following, 0) & ~arbiter.grant).any()),
        ]
        with m.If(arbiter.grant.any()):
            # Granted only because of the cut: dropped even if the cut ends before the packet comes.
            m.d.sync += [pending.eq(1), following.eq(arbiter.grant), accepted.eq(0), doomed.eq(~self.open)]
        return m


def _selected(chosen, values):
    """Return the one of the values whose bit is set in a one-hot vector."""
    return reduce(or_, [Mux(bit, value, 0) for bit, value in zip(chosen, values, strict=True)])
