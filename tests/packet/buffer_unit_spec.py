"""What a packet buffer unit has to promise beside what its parts do."""

from functools import partial

from amaranth.asserts import AnyConst, AnySeq
from amaranth.hdl import Assert, Assume, Cover, Module, Mux, Signal
from amaranth.lib import wiring

from cubecast.golden.packet.contract.config import PacketConfig
from cubecast.rtl.packet.buffer_unit import PacketBufferUnit
from tests.harness.inside import opened, register, unit
from tests.harness.surroundings import beside
from tests.packet.cam_spec import counted, elders_of, in_order, next_of
from tests.packet.sending import sending_of
from tests.packet.surroundings import NextPortSurroundings, OutputControllerSurroundings

__all__ = ["PacketBufferUnitSpec"]


class PacketBufferUnitSpec(wiring.Component):
    """The oldest packet keeps its request, rows are not given away too early, and no report is lost.

    - The oldest packet with something to send stays the oldest, and its request stays, until it is accepted.
    - A packet is accepted for at most one output, which granted and which it requested; a unit that sends nothing
      accepts at once.
    - The RAM row of the packet being sent is not given to another.
    - A packet is started as it was found, and the words of one that is coming in are read as far as they have come.
    - Its output controller and its next port have the surroundings that are stated of them.
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
        names = ("cam", "output_controller", "report_queue", "input_controller")
        cam, sender, reports, receiver = (unit(fragment, *inside, name) for name in names)
        for port in (dut.valid, dut.head, dut.data, dut.cut_short, dut.cut, dut.grant, dut.o.ready, dut.report.ready):
            m.d.comb += port.eq(AnySeq(len(port)))
        for strap in (dut.address, dut.dimension):
            m.d.comb += strap.eq(AnyConst(len(strap)))
        seen = Signal()
        head = dut.valid & dut.head
        m.d.sync += seen.eq(Mux(head, 0, seen | dut.ready))
        m.d.comb += [Assume(dut.dimension < config.dim), Assume(~head | seen | self.eager)]

        waits, oldest = Signal(), Signal(config.ports)
        asks = (dut.request & cam.oldest).any()
        m.d.sync += [waits.eq(asks & ~(dut.accept & cam.oldest).any()), oldest.eq(cam.oldest)]
        following = beside(m, "following", NextPortSurroundings, unit(fragment, *inside, "next_port"))
        sending = beside(m, "sending", OutputControllerSurroundings, sender)
        stored = register(fragment, *inside, "report_queue", "stored")
        count = stored[0] + stored[1]
        m.d.comb += [
            Assert(~waits | (asks & (cam.oldest == oldest))),
            Assert((dut.accept & (dut.accept - 1)) == 0),
            Assert((dut.accept & ~(dut.grant & dut.request)) == 0),
            Assert(sender.busy | ((dut.grant & dut.request) == 0) | dut.accept.any()),
            Assert(~cam.load | following.counts.next),
            Assert(sending.allowed),
            Assert(~(reports.put & (stored == 0b11))),
            Cover(reports.put & (stored == 0b01)),
            Cover(sender.start & sender.done & dut.accepted),
            # Makes the last statement inductive: reports stored, and packets that may still lead to one.
            Assert(count + dut.receiving + seen <= 2),
            Assert(stored != 0b10),
        ]
        self._rows(m, partial(register, fragment, *inside), dut, cam, sender, receiver)
        return m

    def _rows(self, m, kept, dut, cam, sender, receiver):
        """State which rows are occupied, which of them is being sent, and which is coming in."""
        config, rows = self.config, self.config.rows
        row = [next_of(kept("cam", f"row_{i}"), config) for i in range(rows)]
        occupied, final = kept("cam", "occupied"), kept("finished")
        _, left, fetched = sending_of(partial(kept, "output_controller"))
        flit, sent = sender.o, sender.row
        m.d.comb += [
            Assert(~(cam.load & sender.busy & (cam.ram_row == sent))),
            Assert(~sender.start | (sender.start_row == cam.found_row)),
            Assert(~sender.start | (sender.start_length == cam.found_length)),
            # As the proof of the controllers connects them.
            Assert(~sender.read | (sender.limited == (receiver.receiving & (sender.read_row == receiver.row)))),
            Assert(sender.limit == receiver.count),
            # What is coming in was loaded last.
            Assert(~dut.receiving | (kept("cam", "newest") == 1 << kept("input_controller", "row"))),
            # Make the statements inductive.
            Assert(kept("cam", "unused") == rows - counted(occupied)),
            Assert(~sender.busy | (occupied >> sent)[0]),
            Assert(sender.busy | ~(fetched | flit.valid | (left != 0))),
            Assert(~(flit.valid & flit.last) | ((left == 0) & ~fetched)),
            *in_order(elders_of(partial(kept, "cam"), rows), occupied),
        ]
        for i in range(rows):
            over = row[i] == 0
            m.d.comb += [
                Assert(occupied[i] | over),
                Assert((row[i] & (row[i] - 1)) == 0),
                Assert(~(occupied[i] & over) | (sender.busy & final & (sent == i))),
                Assert(~(sender.busy & final & (sent == i)) | over),
            ]
