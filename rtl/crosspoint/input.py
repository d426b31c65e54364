"""Input: where a link ends, before its row of crosspoints."""

from amaranth import *
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

from cubecast.golden.crosspoint.contract.units import Port
from cubecast.golden.crosspoint.contract.word import CrosspointReason, outputs_of
from cubecast.rtl.common.report import Report
from cubecast.rtl.crosspoint.link import Word

__all__ = ["Input"]


class Input(wiring.Component):
    """Hand words to the queues, say whether they have room, and end the packet of a link that is cut. No latency.

    Parameters
    ----------
    config : Port
        Router, and number j of the link.

    Ports
    -----
    link__push, link__head, link__last, link__error, link__data, link__r1, link__r2, link__kind : in
        The word on the link, n + 1 and 1 and 1 and 1 and w and n and n and 2 bits.
    room : in, n + 1
        Room in queue (j, k).
    cut : in
        The link is out of use.
    young : in
        The neighbour may not have known that when it sent what comes now.
    address : in, n
        Strap: the node's address.
    push : out, n + 1
        The word goes into queue (j, k).
    last, error : out
        Those of the word for the queues; its other fields are those of the link.
    ready, ready_up : out
        Room for a packet in all queues; in those to links above j and to the node; registers.
    message_in : out
        A head comes.
    report__valid, report__reason, report__destination, report__ready
        Reports about packets that were ended, or came in vain.
    """

    def __init__(self, config: Port):
        self.config = config
        n = config.router.dim
        super().__init__(
            {
                "link": In(Word(config.router)),
                "room": In(n + 1),
                "cut": In(1),
                "young": In(1),
                "address": In(n),
                "push": Out(n + 1),
                "last": Out(1),
                "error": Out(1),
                "ready": Out(1),
                "ready_up": Out(1),
                "message_in": Out(1),
                "report": Out(Report(n)),
            }
        )

    def elaborate(self, platform):
        """Pass the word; with fault tolerance remember which queues wait for the rest of a packet."""
        m = Module()
        router, j = self.config.router, self.config.port
        n, outputs = router.dim, outputs_of(router, j)
        push, waiting = Signal(n + 1), Signal(4)
        m.d.comb += push.eq(self.link.push & sum(1 << k for k in outputs))
        if router.fault_tolerant:
            self._guarded(m, push, waiting)
        else:
            m.d.comb += [
                self.push.eq(push),
                self.last.eq(self.link.last),
                self.error.eq(self.link.error),
                self.message_in.eq(self.link.head & push.any()),
            ]
        m.d.sync += [
            self.ready.eq(Cat(self.room[k] for k in outputs).all() & ~waiting.any()),
            self.ready_up.eq(Cat(self.room[k] for k in outputs if k > j).all() & ~waiting.any()),
        ]
        return m

    def _guarded(self, m, push, waiting):
        """End the packet that is coming in when the link is cut, and count what is to be reported."""
        open_ = Signal(len(push), name="open")
        ended, vain, taken = Signal(), Signal(), Signal()
        m.d.comb += [
            self.push.eq(Mux(self.cut, open_, push)),
            self.last.eq(self.link.last | self.cut),
            self.error.eq(self.link.error | self.cut),
            self.message_in.eq(self.link.head & push.any() & ~self.cut),
            ended.eq(self.cut & open_.any()),
            vain.eq(self.cut & self.young & self.link.head & push.any()),
            taken.eq(self.report.valid & self.report.ready),
            self.report.valid.eq(waiting.any()),
            self.report.reason.eq(CrosspointReason.INPUT_CUT),
            self.report.destination.eq(self.address ^ (1 << self.config.port)),
        ]
        m.d.sync += waiting.eq(waiting + (ended | vain) - taken)
        with m.If(self.cut):
            m.d.sync += open_.eq(0)
        with m.Elif(push.any()):
            m.d.sync += open_.eq(Mux(self.link.last, 0, push))
