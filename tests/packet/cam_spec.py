"""What the content-addressable memory has to promise."""

from functools import reduce
from itertools import permutations
from operator import add

from amaranth.asserts import AnySeq
from amaranth.hdl import Array, Assert, C, Cat, Cover, Module, Mux, Signal

from cubecast.golden.packet.contract.config import PORT_BITS
from cubecast.rtl.packet.cam import Cam
from tests.harness.spec import Spec, drive

__all__ = ["CamSpec", "counted", "elders_of", "in_order", "next_of"]


def elders_of(register, rows):
    """Return, for each row, which rows are older.

    Parameters
    ----------
    register : function
        Takes the name of a register of the CAM, and returns it.
    rows : int
        Number of its rows.
    """
    younger = [register(f"younger_{i}") for i in range(rows - 1)]

    def older(k, i):
        return younger[k][i - k - 1] if k < i else ~younger[i][k - i - 1] if k > i else C(0, 1)

    return [Cat(older(k, i) for k in range(rows)) for i in range(rows)]


def in_order(elders, occupied):
    """Return the assertions that the ages of the occupied rows are an order: of any three one is the oldest."""
    return [
        Assert(~(occupied[i] & occupied[j] & occupied[k] & elders[j][i] & elders[k][j]) | elders[k][i])
        for i, j, k in permutations(range(len(elders)), 3)
    ]


def next_of(row, config):
    """Return the next port of a row, one-hot."""
    return row[1 : 1 + config.ports]


class CamSpec(Spec):
    """A packet chosen at will is followed from its load until it leaves, beside any others.

    While it is inside it stays in its row, which nobody else gets, and only a rewrite that found it changes it. It is
    found when its port is granted, unless one that came before it is, and never with one that came after it; what is
    found is told as it is in the row. The port of the oldest packet that wants one is known as such. Load, rewrite and
    free may come together in any cycle. Counts are those of the packets inside, and their ages are an order.

    Parameters
    ----------
    config : PacketConfig
        Parameters of the router.
    """

    unit = Cam

    def elaborate(self, platform):
        """Follow the packet by what goes in, and compare it with the rows and with what comes out."""
        m = Module()
        config, rows = self.config, self.config.rows
        dut = self.place(m)
        drive(m, dut)
        row = [self.register(f"row_{i}") for i in range(rows)]
        wanted = [next_of(r, config) for r in row]
        occupied = self.register("occupied")
        elders = elders_of(self.register, rows)
        count, leaves, lower = Signal(range(rows + 1)), Signal(rows), Signal(rows)
        m.d.comb += [
            leaves.eq(Mux(dut.free, 1 << dut.free_row, 0) & occupied),
            lower.eq((1 << dut.ram_row) - 1),
        ]
        m.d.sync += count.eq(count + (dut.load & (count != rows)) - leaves.any())
        plain = Cat(occupied[i] & ~r[0] for i, r in enumerate(row))
        m.d.comb += [
            Assert(dut.free_rows == rows - count),
            Assert(counted(occupied) == count),
            Assert(self.register("plain") == counted(plain)),
            Assert(dut.all_contrary == ~plain.any()),
            Assert(dut.found == Cat((port & dut.grant).any() for port in wanted).any()),
            # The lowest free row: all below it are occupied.
            Assert((count == rows) | ((occupied & (lower << 1 | 1)) == lower)),
            Cover(dut.load & dut.free & dut.rewrite & dut.found & leaves.any() & (count == rows - 1)),
            *in_order(elders, occupied),
        ]
        for i in range(rows):
            m.d.comb += [Assert((wanted[i] & (wanted[i] - 1)) == 0), Assert(occupied[i] | (wanted[i] == 0))]
        with m.If(dut.found):
            found = Array(wanted)[dut.found_row]
            m.d.comb += Assert((dut.found_row < rows) & (dut.found_next == found) & (found & dut.grant).any())
        with m.Else():
            m.d.comb += Assert(dut.found_next == 0)
        self._follow(m, row, wanted, occupied, elders, count, leaves)
        return m

    def _follow(self, m, row, wanted, occupied, elders, count, leaves):
        """Follow one packet."""
        dut, config, rows = self.dut, self.config, self.config.rows
        ports = config.ports
        begins, here, newest = Signal(), Signal(), Signal()
        place, before = Signal(range(rows)), Signal(rows)
        contrary, broadcast = Signal(), Signal()
        port, after = Signal(ports), Signal(PORT_BITS)
        length, destination = Signal(config.length_bits), Signal(config.dim)
        loads = dut.load & (count != rows)
        m.d.comb += begins.eq(loads & ~here & AnySeq(1))
        mine = dut.found & (dut.found_row == place)
        with m.If(begins):
            m.d.sync += [
                *(here.eq(1), newest.eq(1), place.eq(dut.ram_row), before.eq(occupied & ~leaves)),
                *(contrary.eq(dut.load_contrary), broadcast.eq(dut.load_broadcast), after.eq(dut.load_after)),
                *(length.eq(dut.load_length), destination.eq(dut.load_destination)),
                port.eq((1 << dut.load_next)[:ports]),
            ]
        with m.Elif(here):
            m.d.sync += [before.eq(before & ~leaves), newest.eq(newest & ~loads)]
            with m.If(dut.free & (dut.free_row == place)):
                m.d.sync += here.eq(0)
            with m.Elif(dut.rewrite & mine):
                m.d.sync += [
                    port.eq(Mux(broadcast & ~port[config.local], port << 1, 0)),
                    after.eq(Mux(after == config.local, after, after + 1)),
                ]
        earlier = Cat((wanted[k] & dut.grant).any() & before[k] for k in range(rows)).any()
        with m.If(here):
            fields = Cat(contrary, port, length, destination, broadcast, after)
            m.d.comb += [
                Assert(place < rows),
                Assert((occupied >> place)[0]),
                Assert(Array(row)[place] == fields),
                Assert((before & ~(occupied & ~(1 << place))) == 0),
                Assert((count == rows) | (dut.ram_row != place)),
                Assert(contrary | ~dut.all_contrary),
                Assert((dut.waiting & port) == port),
                Assert(~(port & dut.grant).any() | (dut.found & ((before >> dut.found_row)[0] | mine))),
                Assert(~mine | ~earlier),
                Assert((port == 0) | dut.oldest.any()),
                Assert(
                    (port == 0) | Cat(wanted[k].any() & before[k] for k in range(rows)).any() | (dut.oldest == port)
                ),
                # Makes the statements inductive.
                Assert(newest == (self.register("newest") >> place)[0]),
            ]
            for i, elder in enumerate(elders):
                with m.If(place == i):
                    m.d.comb += Assert((elder & occupied) == before)
            with m.If(mine):
                told = Cat(
                    dut.found_next, dut.found_length, dut.found_destination, dut.found_broadcast, dut.found_after
                )
                m.d.comb += Assert(told == fields[1:])
                m.d.comb += Assert(dut.found_newest == newest)


def counted(bits):
    """Return how many bits are set."""
    return reduce(add, bits)
