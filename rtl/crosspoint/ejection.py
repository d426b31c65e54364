"""Ejection: the column of crosspoints before the node, with its arbiter and a register."""

from amaranth import *
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

from cubecast.golden.common.contract.units import Requests
from cubecast.golden.crosspoint.contract.config import CrosspointConfig
from cubecast.rtl.common.instance import place
from cubecast.rtl.common.select import selected
from cubecast.rtl.crosspoint.link import Eject, Requester
from cubecast.rtl.crosspoint.matrix_arbiter import MatrixArbiter

__all__ = ["Ejection"]


class Ejection(wiring.Component):
    """Deliver packets of all links, one after the other; a word that is taken is at the port in the next cycle.

    Parameters
    ----------
    config : CrosspointConfig
        Parameters of the router. Requester k is the queue of link k.

    Ports
    -----
    i__k__ne, i__k__data, i__k__last, i__k__error, i__k__kind : in, 1 and w and 1 and 1 and 2
        The word at the head of requester k's queue.
    pop : out, n
        The word is taken from requester k's queue.
    eject__valid, eject__data, eject__last, eject__error, eject__kind, eject__ready
        Words for the node.
    word_out, message_out, waited : out
        A word, the last of a packet is taken by the node; a word is there and stays.
    """

    def __init__(self, config: CrosspointConfig):
        self.config = config
        n = config.dim
        super().__init__(
            {
                "i": In(Requester(config, route=False)).array(n),
                "pop": Out(n),
                "eject": Out(Eject(config)),
                "word_out": Out(1),
                "message_out": Out(1),
                "waited": Out(1),
            }
        )

    def elaborate(self, platform):
        """Arbitrate among heads while the register is free; words of a body go past the arbiter."""
        m = Module()
        n = self.config.dim
        arbiter = place(m, "arbiter", MatrixArbiter, Requests(count=n))
        busy, step, last = Signal(), Signal(), Signal()
        lock, go = Signal(n), Signal(n)
        waits = Cat(i.ne for i in self.i)
        m.d.comb += [
            step.eq(~self.eject.valid | self.eject.ready),
            arbiter.request.eq(Mux(step & ~busy, waits, 0)),
            go.eq(arbiter.grant | Mux(step, waits & lock, 0)),
            last.eq(selected(go, [i.last for i in self.i])),
            self.pop.eq(go),
            self.waited.eq((waits & ~go).any()),
            self.word_out.eq(self.eject.valid & self.eject.ready),
            self.message_out.eq(self.word_out & self.eject.last),
        ]
        with m.If(go.any()):
            m.d.sync += [busy.eq(~last), lock.eq(Mux(last, 0, go))]
        with m.If(step):
            m.d.sync += [self.eject.valid.eq(go.any()), self.eject.last.eq(last)]
            for name in ("data", "error", *(("kind",) if self.config.multicast else ())):
                m.d.sync += getattr(self.eject, name).eq(selected(go, [getattr(i, name) for i in self.i]))
        return m
