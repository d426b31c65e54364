"""Store: the relative addresses of a message's header."""

from amaranth import *
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out
from amaranth.utils import bits_for

from cubecast.golden.multicast.contract.config import Config

__all__ = ["Store"]


class Store(wiring.Component):
    """Keep the source (or control vector) in row 0 and up to m destinations in rows 1 to m.

    Each destination row has a live bit; a row that is not live reads as zeros in the reference array. Resetting a row,
    as the dissertation has it, clears its live bit: the address stays readable for the output port, and the row can be
    brought back. In a cycle, ``clear`` goes before ``reset_rows``, ``restore_rows`` after it, and ``write`` comes last.
    All outputs come from registers.

    Parameters
    ----------
    config : Config
        Parameters of the router.

    Ports
    -----
    clear : in
        Make all rows not live.
    write : in
        Store ``value`` in row ``row``; a destination row becomes live.
    row : in, bits of 0..m
        Row to write.
    value : in, n
        Value to write.
    reset_rows : in, m
        Rows that become not live, row i at bit i - 1.
    restore_rows : in, m
        Rows that become live again, as they were written.
    a : out, m * n
        Reference array, row i as item i - 1: the row if it is live, else zeros.
    rows : out, m * n
        Rows 1 to m as last written.
    source : out, n
        Row 0.

    Source: Lan 1988, section 6.5.2, figure 6.4.
    """

    def __init__(self, config: Config):
        self.config = config
        n, rows = config.dim, config.max_dest
        super().__init__(
            {
                "clear": In(1),
                "write": In(1),
                "row": In(bits_for(rows)),
                "value": In(n),
                "reset_rows": In(rows),
                "restore_rows": In(rows),
                "a": Out(rows * n),
                "rows": Out(rows * n),
                "source": Out(n),
            }
        )

    def elaborate(self, platform):
        """Build the rows."""
        m = Module()
        n, rows = self.config.dim, self.config.max_dest
        selected = Signal(rows + 1)
        m.d.comb += selected.eq(Cat(self.write & (self.row == i) for i in range(rows + 1)))
        with m.If(selected[0]):
            m.d.sync += self.source.eq(self.value)
        for i in range(rows):
            row, voting = Signal(n, name=f"row_{i + 1}"), Signal(n, name=f"voting_{i + 1}")
            m.d.comb += [self.rows.word_select(i, n).eq(row), self.a.word_select(i, n).eq(voting)]
            with m.If(selected[i + 1]):
                m.d.sync += [row.eq(self.value), voting.eq(self.value)]
            with m.Elif(self.restore_rows[i]):
                m.d.sync += voting.eq(row)
            with m.Elif(self.clear | self.reset_rows[i]):
                m.d.sync += voting.eq(0)
        return m
