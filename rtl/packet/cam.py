"""Content-addressable memory: the heads of the packets that wait, found by the ports that are granted."""

from functools import reduce
from operator import or_

from amaranth import *
from amaranth.lib import data, wiring
from amaranth.lib.wiring import In, Out
from amaranth.utils import bits_for

from cubecast.golden.packet.contract.config import PORT_BITS, PacketConfig

__all__ = ["Cam"]


class Cam(wiring.Component):
    """Hold the heads of the waiting packets, each in the row of its words in the RAM, and the order in which they came.

    Outputs are functions of the registers, and those named ``found`` of ``grant``. Load, rewrite and free are all
    decided on the registers as they are in the cycle, and done at its edge. Rows stay where they are: for each two of
    them a bit says which is older, so that a search looks at all of them at once.

    Parameters
    ----------
    config : PacketConfig
        Parameters of the router; R = ``config.rows``.

    Ports
    -----
    load, load_contrary, load_next, load_length, load_destination : in, 1 and 1 and 4 and LB and n
        Fill the lowest free row; not done when all R are occupied.
    load_broadcast, load_after : in, 1 and 4
        Of that row: it is a broadcast; the port that the packet wants at the node after.
    grant : in, n + 1
        Output ports that can be had.
    found, found_next : out, 1 and n + 1
        Some row wants one of them; which one the oldest such row wants, one-hot or 0.
    found_length, found_destination, found_broadcast, found_after : out, LB and n and 1 and 4
        Of that row what was loaded.
    found_row : out, bits of 0..R-1
        Its number.
    found_newest : out
        That row is the last one that was loaded.
    rewrite : in
        Let the row found want what comes next: a broadcast the port after its own, a unicast, or one by LOCAL, none;
        ``after`` of a broadcast goes on to the next port, too, up to LOCAL.
    free, free_row : in, 1 and bits of 0..R-1
        Let a row leave.
    waiting : out, n + 1
        Ports that some row wants.
    oldest : out, n + 1
        Port that the oldest row with something to send wants, one-hot; 0 without such a row.
    free_rows : out, bits of 0..R
        Rows not occupied.
    ram_row : out, bits of 0..R-1
        Row that the next load fills; 0 when all are occupied.
    all_contrary : out
        No occupied row has a packet that is not contrary.

    Source: Buzzard 1988, section 5.4.2; there, rows move down over those that are freed.
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
                "load_broadcast": In(1),
                "load_after": In(PORT_BITS),
                "grant": In(config.ports),
                "rewrite": In(1),
                "free": In(1),
                "free_row": In(row),
                "found": Out(1),
                "found_next": Out(config.ports),
                "found_length": Out(config.length_bits),
                "found_destination": Out(config.dim),
                "found_broadcast": Out(1),
                "found_after": Out(PORT_BITS),
                "found_row": Out(row),
                "found_newest": Out(1),
                "waiting": Out(config.ports),
                "oldest": Out(config.ports),
                "free_rows": Out(bits_for(config.rows)),
                "ram_row": Out(row),
                "all_contrary": Out(1),
            }
        )

    def elaborate(self, platform):
        """Build the rows, the bits that say which is older, and the search of all rows at once."""
        m = Module()
        config, rows = self.config, self.config.rows
        layout = data.StructLayout(
            {
                "contrary": 1,
                # One-hot, 0 for none: no search has to compare it.
                "next": config.ports,
                "length": config.length_bits,
                "destination": config.dim,
                "broadcast": 1,
                "after": PORT_BITS,
            }
        )
        row = [Signal(layout, name=f"row_{i}") for i in range(rows)]
        wanted = [r.next for r in row]
        occupied, newest = Signal(rows), Signal(rows)
        unused = Signal(bits_for(rows), init=rows)
        # Packets that are not contrary: whether there is one is known without a look at all rows.
        plain = Signal(bits_for(rows))
        granted, useful, found, first = Signal(rows), Signal(rows), Signal(rows), Signal(rows)
        lowest, comes, leaves = Signal(rows), Signal(rows), Signal(rows)
        elders = self._elders(m, comes)
        m.d.comb += [
            granted.eq(Cat((port & self.grant).any() for port in wanted)),
            useful.eq(Cat(port.any() for port in wanted)),
            found.eq(_first(granted, elders)),
            first.eq(_first(useful, elders)),
            lowest.eq(~occupied & -(~occupied)),
            comes.eq(lowest & self.load.replicate(rows)),
            leaves.eq(Cat(self.free_row == i for i in range(rows)) & occupied & self.free.replicate(rows)),
            self.found.eq((self.grant & self.waiting).any()),
            self.found_next.eq(_select(found, wanted)),
            self.found_length.eq(_select(found, [r.length for r in row])),
            self.found_destination.eq(_select(found, [r.destination for r in row])),
            self.found_broadcast.eq(_select(found, [r.broadcast for r in row])),
            self.found_after.eq(_select(found, [r.after for r in row])),
            self.found_row.eq(_select(found, range(rows))),
            self.found_newest.eq((found & newest).any()),
            self.waiting.eq(reduce(or_, wanted)),
            self.oldest.eq(_select(first, wanted)),
            self.free_rows.eq(unused),
            self.ram_row.eq(_select(lowest, range(rows))),
            self.all_contrary.eq(plain == 0),
        ]
        self._edge(m, row, found, comes, leaves)
        plainly = ~Cat(r.contrary for r in row)
        m.d.sync += [
            occupied.eq(occupied & ~leaves | comes),
            unused.eq(unused + leaves.any() - comes.any()),
            plain.eq(plain + (comes.any() & ~self.load_contrary) - (leaves & plainly).any()),
        ]
        with m.If(comes.any()):
            m.d.sync += newest.eq(comes)
        return m

    def _elders(self, m, comes):
        """Return, for each row, which rows were loaded before it."""
        rows = self.config.rows
        # One register for each two rows, with the lower one: the higher one was loaded after it.
        younger = [Signal(rows - 1 - i, name=f"younger_{i}") for i in range(rows - 1)]
        for i, higher in enumerate(younger):
            m.d.sync += higher.eq((higher | comes[i + 1 :]) & ~comes[i].replicate(len(higher)))
        elders = [Signal(rows, name=f"elders_{i}") for i in range(rows)]
        for i, elder in enumerate(elders):
            lower = Cat(younger[k][i - 1 - k] for k in range(i))
            m.d.comb += elder.eq(Cat(lower, C(0, 1), *[~higher for higher in younger[i : i + 1]]))
        return elders

    def _edge(self, m, row, found, comes, leaves):
        """Load, rewrite and free."""
        config = self.config
        new = Signal(row[0].shape())
        m.d.comb += [
            new.contrary.eq(self.load_contrary),
            new.next.eq(Cat(self.load_next == p for p in range(config.ports))),
            new.length.eq(self.load_length),
            new.destination.eq(self.load_destination),
            new.broadcast.eq(self.load_broadcast),
            new.after.eq(self.load_after),
        ]
        for i, r in enumerate(row):
            with m.If(comes[i]):
                m.d.sync += r.eq(new)
            with m.Elif(leaves[i]):
                m.d.sync += r.next.eq(0)
            with m.Elif(self.rewrite & found[i]):
                # LOCAL, the last port, is shifted out; the port after is the row's own, which waits for no search.
                later = Mux(r.after == config.local, config.local, r.after + 1)
                m.d.sync += [r.next.eq(Mux(r.broadcast, r.next << 1, 0)), r.after.eq(later)]


def _first(rows, elders):
    """Return which of some rows is the oldest, one-hot."""
    return rows & ~Cat((rows & elder).any() for elder in elders)


def _select(one_hot, values):
    """Return the value whose bit is set, 0 if none is."""
    masked = [Mux(bit, value, 0) for bit, value in zip(one_hot, values, strict=True)]
    while len(masked) > 1:
        masked = [reduce(or_, masked[i : i + 4]) for i in range(0, len(masked), 4)]
    return masked[0]
