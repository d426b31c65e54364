"""Content-addressable memory: the heads of the packets that wait, found by the port they want."""

from functools import reduce
from operator import or_

from amaranth import *
from amaranth.lib import data, wiring
from amaranth.lib.wiring import In, Out
from amaranth.utils import bits_for

from cubecast.golden.packet.contract.config import PORT_BITS, PacketConfig
from cubecast.golden.packet.contract.packet import NONE

__all__ = ["Cam"]


class Cam(wiring.Component):
    """Hold the waiting packets in the order in which they came; row 0 is the oldest.

    Outputs are functions of the registers, and those named ``found`` of ``search``. Load, rewrite and free are all
    decided on the registers as they are in the cycle, and done at its edge: first the rewrite, then the move of the
    rows above the freed one, then the load.

    Parameters
    ----------
    config : PacketConfig
        Parameters of the router; R = ``config.rows``.

    Ports
    -----
    load, load_contrary, load_next, load_length, load_destination : in, 1 and 1 and 4 and LB and n
        Append a row; not done when all R are occupied.
    search : in, 4
        Output port.
    found, found_length, found_destination, found_ram_row : out, 1 and LB and n and bits of 0..R-1
        The lowest row that wants the port ``search``.
    rewrite, rewrite_next : in, 1 and 4
        Give the row found another port.
    free : in
        Remove the lowest row that has nothing more to send (NONE), if there is one.
    waiting : out, n + 1
        Ports that some row wants.
    oldest : out, 4
        Port that the lowest row with something to send wants, or NONE.
    free_rows : out, bits of 0..R
        Rows not occupied.
    ram_row : out, bits of 0..R-1
        Number of the RAM row that the next load gets; 0 when all are occupied.
    all_contrary : out
        No occupied row has a packet that is not contrary.

    Source: Buzzard 1988, section 5.4.2.
    """

    def __init__(self, config: PacketConfig):
        self.config = config
        row = bits_for(config.rows - 1)
        super().__init__(
            {
                "load": In(1),
                "load_contrary": In(1),
                "load_next": In(PORT_BITS),
                "load_length": In(config.length_bits),
                "load_destination": In(config.dim),
                "search": In(PORT_BITS),
                "rewrite": In(1),
                "rewrite_next": In(PORT_BITS),
                "free": In(1),
                "found": Out(1),
                "found_length": Out(config.length_bits),
                "found_destination": Out(config.dim),
                "found_ram_row": Out(row),
                "waiting": Out(config.ports),
                "oldest": Out(PORT_BITS),
                "free_rows": Out(bits_for(config.rows)),
                "ram_row": Out(row),
                "all_contrary": Out(1),
            }
        )

    def elaborate(self, platform):
        """Build the rows, their search in parallel, and their move."""
        m = Module()
        config, rows = self.config, self.config.rows
        layout = data.StructLayout(
            {"contrary": 1, "next": PORT_BITS, "length": config.length_bits, "destination": config.dim}
        )
        row = [Signal(layout, name=f"row_{i}", init={"next": NONE}) for i in range(rows)]
        ram = [Signal(self.ram_row.shape(), name=f"ram_{i}", init=i) for i in range(rows)]
        # Bit i: row i is occupied. One bit per row saves the comparison of each row's index with a count.
        occupied = Signal(rows)
        unused = Signal(bits_for(rows), init=rows)
        hits, over, useful = Signal(rows), Signal(rows), Signal(rows)
        found, first, end = Signal(rows), Signal(rows), Signal(rows)
        m.d.comb += [
            hits.eq(Cat(r.next == self.search for r in row) & occupied),
            over.eq(Cat(r.next == NONE for r in row) & occupied),
            useful.eq(Cat(r.next != NONE for r in row)),
            found.eq(hits & ~(_up(hits) << 1)),
            first.eq(useful & ~(_up(useful) << 1)),
            end.eq(~occupied & (occupied << 1 | 1)),
            self.found.eq(hits.any()),
            self.found_length.eq(_select(found, [r.length for r in row])),
            self.found_destination.eq(_select(found, [r.destination for r in row])),
            self.found_ram_row.eq(_select(found, ram)),
            self.waiting.eq(Cat(Cat(r.next == p for r in row).any() for p in range(config.ports))),
            self.oldest.eq(Mux(useful.any(), _select(first, [r.next for r in row]), NONE)),
            self.free_rows.eq(unused),
            self.ram_row.eq(_select(end, ram)),
            self.all_contrary.eq(~(occupied & ~Cat(r.contrary for r in row)).any()),
        ]
        self._edge(m, row, ram, occupied, unused, found, over, end)
        return m

    def _edge(self, m, row, ram, occupied, unused, found, over, end):
        """Rewrite, move down over the freed row, and load."""
        rows = self.config.rows
        moves = Signal(rows)
        leave, load = Signal(), Signal()
        target = Signal(rows)
        new, empty = Signal(row[0].shape()), Signal(row[0].shape())
        m.d.comb += [
            moves.eq(_up(over) & self.free.replicate(rows)),
            leave.eq(self.free & over.any()),
            load.eq(self.load & ~occupied[-1]),
            target.eq(Mux(leave, end >> 1, end) & load.replicate(rows)),
            Cat(new.contrary, new.next, new.length, new.destination).eq(
                Cat(self.load_contrary, self.load_next, self.load_length, self.load_destination)
            ),
            empty.next.eq(NONE),
        ]
        after = []
        for i in range(rows):
            rewritten = Signal(row[0].shape(), name=f"after_{i}")
            m.d.comb += rewritten.eq(row[i])
            with m.If(self.rewrite & found[i]):
                m.d.comb += rewritten.next.eq(self.rewrite_next)
            after.append(rewritten)
        freed = _select((over & ~(_up(over) << 1))[:rows], ram)
        for i, (above, ram_above) in enumerate(zip([*after[1:], empty], [*ram[1:], freed], strict=True)):
            with m.If(moves[i]):
                m.d.sync += ram[i].eq(ram_above)
            with m.If(target[i]):
                m.d.sync += row[i].eq(new)
            with m.Elif(moves[i]):
                m.d.sync += row[i].eq(above)
            with m.Else():
                m.d.sync += row[i].eq(after[i])
        with m.If(load & ~leave):
            m.d.sync += [occupied.eq(occupied << 1 | 1), unused.eq(unused - 1)]
        with m.Elif(leave & ~load):
            m.d.sync += [occupied.eq(occupied >> 1), unused.eq(unused + 1)]


def _up(bits):
    """Return a vector that has every bit of ``bits`` and all bits above it; the depth is a logarithm of the width."""
    step = 1
    while step < len(bits):
        bits = (bits | bits << step)[: len(bits)]
        step *= 2
    return bits


def _select(one_hot, values):
    """Return the value whose bit is set, 0 if none is."""
    masked = [Mux(bit, value, 0) for bit, value in zip(one_hot, values, strict=True)]
    while len(masked) > 1:
        masked = [reduce(or_, masked[i : i + 4]) for i in range(0, len(masked), 4)]
    return masked[0]
