"""Link pipe: the registers of one direction of a link."""

from amaranth import *
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

from cubecast.golden.crosspoint.contract.units import Port
from cubecast.rtl.crosspoint.link import Backward, Forward

__all__ = ["LinkPipe"]


class LinkPipe(wiring.Component):
    """Delay what goes over a link, or the flags that come back, by the registers that the parameters ask for.

    The latency is f = ``forward`` cycles for words and ``down``, g = ``backward`` cycles for flags; wires with 0.

    Parameters
    ----------
    config : Port
        Router, and number of the link.
    forward : bool
        Words, at the sending router; otherwise flags, at the receiving one.
    reduce : int
        With the fields of so many join units beside the router.

    Ports
    -----
    i__push, i__head, i__last, i__error, i__data, i__r1, i__r2, i__kind, i__push_r, i__push_r_1, i__rop, i__down : in
        Forward: what the output sends, as far as the link has it.
    i__ready, i__ready_up, i__ready_r, i__ready_r_1 : in
        Backward: the flags of the input.
    o__...
        The same, later.
    """

    def __init__(self, config: Port, *, forward: bool, reduce: int = 0):
        self.config = config
        self.forward = forward
        signature = (Forward if forward else Backward)(config.router, reduce=reduce)
        super().__init__({"i": In(signature), "o": Out(signature)})

    def elaborate(self, platform):
        """Build a chain of registers for all fields together."""
        m = Module()
        router = self.config.router
        names = list(self.i.signature.members)
        value = Cat(getattr(self.i, name) for name in names)
        for stage in range(router.forward if self.forward else router.backward):
            later = Signal(len(value), name=f"stage_{stage + 1}")
            m.d.sync += later.eq(value)
            value = later
        m.d.comb += Cat(getattr(self.o, name) for name in names).eq(value)
        return m
