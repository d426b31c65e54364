"""What a packet buffer unit has to promise beside what its parts do."""

from amaranth.asserts import AnyConst, AnySeq
from amaranth.hdl import Assert, Assume, Cat, Cover, Module, Mux, Signal
from amaranth.lib import wiring

from cubecast.golden.packet.contract.config import PORT_BITS, PacketConfig
from cubecast.golden.packet.contract.packet import NONE
from cubecast.rtl.packet.buffer_unit import PacketBufferUnit
from tests.harness.inside import opened, register, unit

__all__ = ["PacketBufferUnitSpec"]


class PacketBufferUnitSpec(wiring.Component):
    """The oldest packet keeps its request, rows are not given away too early, and no report is lost.

    - The oldest packet with something to send stays the oldest, and its request stays, until it is accepted.
    - A packet is accepted for at most one output, which granted and which it requested; a unit that sends nothing
      accepts at once.
    - The RAM row of the packet being sent is not given to another.
    - No report is put when two are stored, if a head is sent only after ``ready`` was seen since the head before.

    Parameters
    ----------
    config : PacketConfig
        Parameters of the router.
    unit : class
        The design to be checked; a broken one must be refuted.
    eager : bool
        True: heads are sent at any time, which must be refuted.
    """

    def __init__(self, config: PacketConfig, unit=PacketBufferUnit, *, eager=False):
        self.config, self.unit, self.eager = config, unit, eager
        super().__init__({})

    def elaborate(self, platform):
        """Drive the unit as a link and a crossbar do."""
        m = Module()
        config = self.config
        dut = self.unit(config)
        m.submodules.dut = fragment = opened(dut)
        inside = () if self.unit is PacketBufferUnit else ("inner",)
        cam, sender, reports = (unit(fragment, *inside, name) for name in ("cam", "output_controller", "report_queue"))
        for port in (dut.valid, dut.head, dut.data, dut.cut_short, dut.cut, dut.grant, dut.o.ready, dut.report.ready):
            m.d.comb += port.eq(AnySeq(len(port)))
        for strap in (dut.address, dut.dimension):
            m.d.comb += strap.eq(AnyConst(len(strap)))
        seen = Signal()
        head = dut.valid & dut.head
        m.d.sync += seen.eq(Mux(head, 0, seen | dut.ready))
        m.d.comb += [Assume(dut.dimension < config.dim), Assume(~head | seen | self.eager)]

        waits, oldest = Signal(), Signal(PORT_BITS)
        asks = (dut.request >> cam.oldest)[0]
        m.d.sync += [waits.eq(asks & ~(dut.accept >> cam.oldest)[0]), oldest.eq(cam.oldest)]
        stored = register(fragment, *inside, "report_queue", "stored")
        count = stored[0] + stored[1]
        m.d.comb += [
            Assert(~waits | (asks & (cam.oldest == oldest))),
            Assert((dut.accept & (dut.accept - 1)) == 0),
            Assert((dut.accept & ~(dut.grant & dut.request)) == 0),
            Assert(sender.busy | ((dut.grant & dut.request) == 0) | dut.accept.any()),
            Assert(~(reports.put & (stored == 0b11))),
            Cover(reports.put & (stored == 0b01)),
            Cover(sender.start & sender.done & dut.accepted),
            # Makes the last statement inductive: reports stored, and packets that may still lead to one.
            Assert(count + dut.receiving + seen <= 2),
            Assert(stored != 0b10),
        ]
        self._rows(m, fragment, inside, cam, sender)
        return m

    def _rows(self, m, fragment, inside, cam, sender):
        """State which rows are occupied, and which of them is being sent."""
        rows = self.config.rows
        row = [register(fragment, *inside, "cam", f"row_{i}")[1 : 1 + PORT_BITS] for i in range(rows)]
        ram = [register(fragment, *inside, "cam", f"ram_{i}") for i in range(rows)]
        occupied = register(fragment, *inside, "cam", "occupied")
        unused = register(fragment, *inside, "cam", "unused")
        final = register(fragment, *inside, "finished")
        names = ("row", "left", "fetched", "fetched_last")
        sent, left, fetched, fetched_last = (register(fragment, *inside, "output_controller", name) for name in names)
        flit = sender.o
        m.d.comb += [
            Assert(~(cam.load & sender.busy & (cam.ram_row == sent))),
            # Make the statements inductive.
            Assert((occupied & (occupied + 1)) == 0),
            Assert(unused == rows - sum((occupied[i] for i in range(1, rows)), occupied[0])),
            Assert(~sender.busy | Cat(occupied[i] & (ram[i] == sent) for i in range(rows)).any()),
            Assert(sender.busy | ~(fetched | flit.valid)),
            Assert(~(fetched & fetched_last) | (left == 0)),
            Assert(~(flit.valid & flit.last) | ((left == 0) & ~fetched)),
        ]
        for i in range(rows):
            over = row[i] == NONE
            m.d.comb += [
                Assert(ram[i] < rows),
                Assert(occupied[i] | over),
                Assert(over | (row[i] <= self.config.local)),
                Assert(~(occupied[i] & over) | (sender.busy & final & (ram[i] == sent))),
                Assert(~(occupied[i] & sender.busy & final & (ram[i] == sent)) | over),
            ]
            m.d.comb += [Assert(ram[i] != ram[k]) for k in range(i)]
