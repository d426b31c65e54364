"""What the content-addressable memory has to promise."""

from amaranth.asserts import AnySeq
from amaranth.hdl import Array, Assert, Assume, Cat, Cover, Module, Mux, Signal

from cubecast.golden.packet.contract.config import PORT_BITS
from cubecast.golden.packet.contract.packet import NONE
from cubecast.rtl.packet.cam import Cam
from tests.harness.spec import Spec, drive

__all__ = ["CamSpec"]


class CamSpec(Spec):
    """Two packets chosen at will, the second loaded after the first, are followed from their load until they leave.

    While one is inside, it is in one occupied row: none of its fields changes except the next port, and that only by
    a rewrite that found it; it is found by its next port, unless an older one wants the same, and never
    before that one; its RAM row is given to nobody else. It leaves when ``free`` comes, it has nothing more to send,
    and no older one has left in its place. Load, rewrite and free may come together in any cycle. The count is that of
    the packets inside, and the RAM rows stay a permutation.

    Parameters
    ----------
    config : PacketConfig
        Parameters of the router.
    """

    unit = Cam

    def elaborate(self, platform):
        """Follow both packets by what goes in, and compare them with the rows and with what comes out."""
        m = Module()
        dut = self.place(m)
        rows = self.config.rows
        row = [self.register(f"row_{i}") for i in range(rows)]
        ram = [self.register(f"ram_{i}") for i in range(rows)]
        occupied = self.register("occupied")
        inputs = (dut.load, dut.load_contrary, dut.load_next, dut.load_length, dut.load_destination)
        drive(m, *inputs, dut.search, dut.rewrite, dut.rewrite_next, dut.free)
        new = Cat(dut.load_contrary, dut.load_next, dut.load_length, dut.load_destination)

        count, load, gone = Signal(range(rows + 1)), Signal(), Signal(rows)
        over = Cat((r[1 : 1 + PORT_BITS] == NONE) & (count > i) for i, r in enumerate(row))
        m.d.comb += [load.eq(dut.load & (count != rows)), gone.eq(Mux(dut.free, over & -over, 0))]
        m.d.sync += count.eq(count + load - gone.any())
        m.d.comb += [
            Assert(dut.free_rows == rows - count),
            Assert(occupied == (1 << count) - 1),
            Assert(dut.all_contrary == Cat(r[0] | (count <= i) for i, r in enumerate(row)).all()),
            Cover(load & dut.free & dut.rewrite & dut.found & gone.any() & (count == rows - 1)),
        ]
        for i in range(rows):
            m.d.comb += [Assert(ram[i] < rows), Assert((count > i) | (row[i][1 : 1 + PORT_BITS] == NONE))]
            m.d.comb += [Assert(ram[i] != ram[k]) for k in range(i)]

        first, second = (self._follow(m, name, new, load, count, gone, row, ram) for name in ("first", "second"))
        older, younger = first, second
        m.d.comb += [
            Assume(~(younger.begins & ~older.here)),
            Assume(~(older.begins & younger.here)),
            Assert(~(older.here & younger.here) | (older.place < younger.place)),
        ]
        same = older.here & younger.here & (older.next == younger.next)
        with m.If(same & (dut.search == older.next)):
            m.d.comb += Assert(dut.found & (dut.found_ram_row != younger.ram))
        with m.If(older.here & (older.next != NONE)):
            m.d.comb += Assert(dut.oldest != NONE)
            with m.If(older.place == 0):
                m.d.comb += Assert(dut.oldest == older.next)
        return m

    def _follow(self, m, name, new, load, count, gone, row, ram):
        """Follow one packet; return what is known of it."""
        dut = self.dut
        packet = _Packet(name, self.config.rows, len(new), len(dut.ram_row))
        begins, next_port = packet.begins, packet.next
        m.d.comb += begins.eq(load & ~packet.here & AnySeq(1))
        below = Signal(self.config.rows, name=f"{name}_below")
        m.d.comb += below.eq((1 << packet.place) - 1)
        leaves = (gone >> packet.place)[0]
        with m.If(begins):
            m.d.sync += [packet.here.eq(1), packet.fields.eq(new), packet.ram.eq(dut.ram_row)]
            m.d.sync += packet.place.eq(count - gone.any())
        with m.Elif(packet.here):
            m.d.sync += [packet.place.eq(packet.place - (gone & below).any()), packet.here.eq(~leaves)]
            with m.If(dut.rewrite & dut.found & (dut.found_ram_row == packet.ram)):
                m.d.sync += next_port.eq(dut.rewrite_next)
        with m.If(packet.here):
            m.d.comb += [
                Assert(packet.place < count),
                Assert(Array(row)[packet.place] == packet.fields),
                Assert(Array(ram)[packet.place] == packet.ram),
                Assert((count == self.config.rows) | (dut.ram_row != packet.ram)),
                Assert(packet.contrary | ~dut.all_contrary),
            ]
            with m.If(dut.search == next_port):
                m.d.comb += Assert(dut.found)
            with m.If(next_port < self.config.ports):
                m.d.comb += Assert((dut.waiting >> next_port)[0])
            with m.If(dut.found & (dut.found_ram_row == packet.ram)):
                found = Cat(dut.search, dut.found_length, dut.found_destination)
                m.d.comb += Assert(found == Cat(next_port, packet.length, packet.destination))
        return packet


class _Packet:
    """What the specification knows of a packet it follows."""

    def __init__(self, name, rows, bits, ram_bits):
        self.begins = Signal(name=f"{name}_begins")
        self.here = Signal(name=f"{name}_here")
        self.place = Signal(range(rows), name=f"{name}_place")
        self.fields = Signal(bits, name=f"{name}_fields")
        self.ram = Signal(ram_bits, name=f"{name}_ram")

    @property
    def contrary(self):
        """Return the contrary mark."""
        return self.fields[0]

    @property
    def next(self):
        """Return the next port."""
        return self.fields[1 : 1 + PORT_BITS]

    @property
    def length(self):
        """Return the length, of 4 bits as in every configuration with up to 15 words."""
        return self.fields[1 + PORT_BITS : 5 + PORT_BITS]

    @property
    def destination(self):
        """Return the destination."""
        return self.fields[5 + PORT_BITS :]
