"""Output: the column of crosspoints before a link, with its arbiter."""

from amaranth import *
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

from cubecast.golden.common.contract.units import Requests
from cubecast.golden.crosspoint.contract.units import Port
from cubecast.golden.crosspoint.contract.word import CONTEXTS, KIND_BITS, OPERATION_BITS, CrosspointReason, inputs_of
from cubecast.rtl.common.instance import place
from cubecast.rtl.common.report import Report
from cubecast.rtl.common.select import selected
from cubecast.rtl.crosspoint.link import ReduceOut, Requester
from cubecast.rtl.crosspoint.matrix_arbiter import MatrixArbiter

__all__ = ["Output"]


class Output(wiring.Component):
    """Let packets of several queues over one link, one after the other, and drop them while it is cut. No latency.

    A head goes when the neighbour has room for a whole packet wherever it may go; the words after it ask for nothing.

    Parameters
    ----------
    config : Port
        Router, and number j of the link. Requester k of K is the queue of the k-th input that has one to here.
    reduce : int
        Join units beside the router, each a requester more: its words are let go alone, between packets.

    Ports
    -----
    i__k__ne, i__k__data, i__k__last, i__k__error, i__k__kind : in, 1 and w and 1 and 1 and 2
        The word at the head of requester k's queue.
    i__k__r1, i__k__r2, i__k__push : in, n and n and n + 1
        What is left of its header after this hop, and the queues that it goes into there.
    ready, ready_up : in
        The neighbour has room for a packet in all its queues; in those to links above j and to the node.
    cut : in
        The link is out of use: packets are dropped.
    address : in, n
        Strap: the node's address.
    pop : out, K
        The word is taken from requester k's queue.
    push, head, last, error, data, r1, r2, kind : out, n + 1 and 1 and 1 and 1 and w and n and n and 2
        The word on the link.
    word_out, message_out, waited : out
        A word, the last of a packet leaves; a word is there and stays.
    report__valid, report__reason, report__destination, report__ready
        Reports about packets that were dropped.
    reduce__request, reduce__data, reduce__rop, reduce__last, reduce__error : in, 1 and w and 4 and 1 and 1
        With ``reduce``: a word of a reduction.
    ready_r : in
        With ``reduce``: the neighbour has room for one.
    reduce__taken, push_r, rop : out, 1 and 1 and 4
        With ``reduce``: it goes; it is on the link, with ``data``, ``last`` and ``error``; its operation.
    reduce_1__*, ready_r_1, push_r_1
        With two units: the same of the second; ``rop`` is of the one whose word goes.
    """

    def __init__(self, config: Port, *, reduce: int = 0):
        self.config = config
        self.contexts = CONTEXTS[:reduce]
        router = config.router
        n = router.dim
        self.inputs = inputs_of(router, config.port)
        count = len(self.inputs)
        reduced = {"rop": Out(OPERATION_BITS)} if reduce else {}
        for context in self.contexts:
            reduced |= {f"reduce{context}": In(ReduceOut(router))}
            reduced |= {f"ready_r{context}": In(1), f"push_r{context}": Out(1)}
        super().__init__(
            {
                "i": In(Requester(router, route=True)).array(count),
                "ready": In(1),
                "ready_up": In(1),
                "cut": In(1),
                "address": In(n),
                "pop": Out(count),
                "push": Out(n + 1),
                "head": Out(1),
                "last": Out(1),
                "error": Out(1),
                "data": Out(router.width),
                "r1": Out(n),
                "r2": Out(n),
                "kind": Out(KIND_BITS),
                "word_out": Out(1),
                "message_out": Out(1),
                "waited": Out(1),
                "report": Out(Report(n)),
                **reduced,
            }
        )

    def elaborate(self, platform):
        """Arbitrate among heads; words of a body go past the arbiter. Lock is one-hot, or 0 while not busy."""
        m = Module()
        router, j = self.config.router, self.config.port
        n, count = router.dim, len(self.inputs)
        arbiter = place(m, "arbiter", MatrixArbiter, Requests(count=count + len(self.contexts)))
        heads = arbiter.grant[:count]
        self.busy, self.lock, self.hold, self.pending = busy, lock, hold, pending = (
            Signal(name="busy"),
            Signal(count, name="lock"),
            Signal(n + 1, name="hold"),
            Signal(name="pending"),
        )
        cut = self.cut if router.fault_tolerant else C(0, 1)
        waits = Cat(i.ne for i in self.i)
        body, go, first = Signal(count), Signal(count), Signal(n + 1)
        for k, (i, number) in enumerate(zip(self.i, self.inputs, strict=True)):
            room = self.ready_up if number < j else self.ready
            m.d.comb += arbiter.request[k].eq(i.ne & ~busy & ~pending & (room | cut))
        m.d.comb += [
            body.eq(waits & lock),
            go.eq(heads | body),
            self.pop.eq(go),
            self.waited.eq((waits & ~go).any()),
            self.head.eq(heads.any()),
            first.eq(selected(heads, [i.push for i in self.i])),
            self.push.eq(Mux(cut, 0, first | Mux(body.any(), hold, 0))),
            self.word_out.eq(self.push.any()),
            self.message_out.eq(self.word_out & self.last),
        ]
        self._word(m, heads, go)
        if self.contexts:
            self._reduce(m, arbiter.request[count:], arbiter.grant[count:], busy | cut)
        with m.If(go.any()):
            m.d.sync += [busy.eq(~self.last), lock.eq(Mux(self.last, 0, go))]
        with m.If(cut | (go.any() & self.last)):
            m.d.sync += hold.eq(0)
        with m.Elif(self.head):
            m.d.sync += hold.eq(first)
        if router.fault_tolerant:
            self._reports(m)
        return m

    def _word(self, m, grant, go):
        """Form the fields of the word; of a bitmap the upper half is taken along, which is the neighbour's."""
        router, j = self.config.router, self.config.port
        for name in ("last", "error", "r1", "r2", *(("kind",) if router.multicast else ())):
            m.d.comb += getattr(self, name).eq(self._chosen(go, name))
        data = Signal(router.width)
        m.d.comb += [data.eq(self._chosen(go, "data")), self.data.eq(data)]
        if router.multicast and j < router.bitmap_dims:
            half, bitmap = 1 << j, Signal()
            m.d.comb += bitmap.eq(selected(grant, [i.kind[1] for i in self.i]))
            with m.If(bitmap):
                m.d.comb += self.data[:half].eq(data[half : 2 * half])

    def _chosen(self, go, name):
        """Return a field of the word that goes: 0 if none does."""
        chosen = selected(go, [getattr(i, name) for i in self.i])
        for context in self.contexts:
            word = getattr(self, f"reduce{context}")
            if name in word.signature.members:
                chosen |= Mux(word.taken, getattr(word, name), 0)
        return chosen

    def _reduce(self, m, requests, grants, closed):
        """Let words of reductions go between packets, each alone: they set no lock."""
        words = [getattr(self, f"reduce{context}") for context in self.contexts]
        for context, word, request, grant in zip(self.contexts, words, requests, grants, strict=True):
            m.d.comb += [
                request.eq(word.request & getattr(self, f"ready_r{context}") & ~closed),
                word.taken.eq(grant),
                getattr(self, f"push_r{context}").eq(grant),
            ]
        m.d.comb += self.rop.eq(selected(grants, [word.rop for word in words]))

    def _reports(self, m):
        """Report a packet that is refused, and one that is cut; no head is taken while a report waits."""
        neighbour = self.address ^ (1 << self.config.port)
        destination = Signal(self.config.router.dim)
        reason = Signal(self.report.reason.shape())
        m.d.comb += [
            self.report.valid.eq(self.pending),
            self.report.reason.eq(reason),
            self.report.destination.eq(destination),
        ]
        with m.If(self.cut & (self.head | self.hold.any())):
            left = self.r1 ^ Mux(self.kind.any(), 0, self.r2)
            m.d.sync += [
                self.pending.eq(1),
                reason.eq(Mux(self.head, CrosspointReason.UNDELIVERABLE, CrosspointReason.PACKET_CUT)),
                destination.eq(neighbour ^ Mux(self.head, left, 0)),
            ]
        with m.Elif(self.report.ready):
            m.d.sync += self.pending.eq(0)
