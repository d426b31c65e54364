"""Output port: the actual addresses of a destination sublist, one after the other."""

from amaranth import *
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

from cubecast.golden.multicast.contract.config import Config

__all__ = ["OutputPort"]


class OutputPort(wiring.Component):
    """Turn the lowest pending row into an actual address. Combinational.

    Parameters
    ----------
    config : Config
        Parameters of the router.

    Ports
    -----
    rows : in, m * n
        Relative destination addresses, row i as item i - 1.
    pending : in, m
        Rows still to be sent.
    address : in, n
        Local address.
    destination : out, n
        Actual address of the lowest pending row; the local address when none is pending.
    remaining : out, m
        ``pending`` without its lowest row.
    one_left : out
        Exactly one row is pending.

    Source: Lan 1988, section 6.5.5.
    """

    def __init__(self, config: Config):
        self.config = config
        n, rows = config.dim, config.max_dest
        super().__init__(
            {
                "rows": In(rows * n),
                "pending": In(rows),
                "address": In(n),
                "destination": Out(n),
                "remaining": Out(rows),
                "one_left": Out(1),
            }
        )

    def elaborate(self, platform):
        """Select the lowest pending row."""
        m = Module()
        n, rows = self.config.dim, self.config.max_dest
        row = Signal(n)
        for i in range(rows):
            with m.Elif(self.pending[i]) if i else m.If(self.pending[i]):
                m.d.comb += row.eq(self.rows.word_select(i, n))
        m.d.comb += [
            self.destination.eq(row ^ self.address),
            self.remaining.eq(Cat(self.pending[i] & self.pending[:i].any() for i in range(rows))),
            self.one_left.eq(self.pending.any() & ~self.remaining.any()),
        ]
        return m
