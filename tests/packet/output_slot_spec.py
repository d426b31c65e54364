"""What a buffer slot of the node output port has to promise."""

from functools import partial

from amaranth.asserts import AnyConst
from amaranth.hdl import Array, Assert, Assume, C, Cat, Const, Cover, Module, Mux, Signal

from cubecast.golden.packet.contract.config import PORT_BITS
from cubecast.golden.packet.contract.reason import PacketReason
from cubecast.rtl.packet.output_slot import OutputSlot
from tests.harness.inside import register, row, unit
from tests.harness.spec import Spec, drive
from tests.harness.surroundings import beside
from tests.packet.sending import sending_of
from tests.packet.surroundings import NextPortSurroundings, OutputControllerSurroundings

__all__ = ["OutputSlotSpec"]

BANKS = 2
EMPTY, LOADING, DISCARD = range(3)


class OutputSlotSpec(Spec):
    """Packets that are loaded leave whole, unchanged, in order, once each; one that cannot is reported once.

    - A packet leaves by its own dimension on a grant, or by another where its link is faulty and that is asked for.
      Its flits follow each other without a pause: a head with the length, the destination, the next port and whether
      it is contrary, the source word, the data. One that is refused stays, and is sent again.
    - It is requested in every cycle in which it can be sent. A packet for which no link is left is dropped with a
      report, as is one that is malformed; no report meets a full queue.
    - Its controller and its next port have the surroundings that are stated of them.

    Assumed of the crossbar: a packet that is being sent alone is refused, after its head, and no flit is taken then; a
    detour is started only when it is wanted. Of the node: it gives words when the slot is ready.

    Parameters
    ----------
    config : PacketConfig
        Parameters of the router, with ``fault_tolerant``.
    """

    unit = OutputSlot

    def elaborate(self, platform):
        """Follow what is loaded and what is sent, and any one word of each packet."""
        m = Module()
        dut, config = self.place(m), self.config
        n = config.dim
        drive(m, dut.fault, dut.refusing, dut.load, dut.data, dut.last, dut.alone, dut.none)
        drive(m, dut.grant, dut.refused, dut.o.ready, dut.report.ready)
        drive(m, dut.detour_start, dut.detour_contrary, dut.detour_next)
        self.index = index = Signal(config.word_bits)
        m.d.comb += [port.eq(AnyConst(len(port))) for port in (dut.address, dut.dimension, index)]
        self.controller = unit(self.fragment, *self.inside, "controller")
        around = beside(m, "around_controller", OutputControllerSurroundings, self.controller)
        next_port = unit(self.fragment, *self.inside, "next_port")
        around_next = beside(m, "around_next_port", NextPortSurroundings, next_port)
        self.sending = sending = Signal()
        m.d.comb += [
            Assume(dut.dimension < n),
            Assume(~dut.load | dut.ready),
            Assume(~dut.refused | (sending & ~dut.o.head & ~dut.o.ready)),
            Assume(~dut.detour_start | dut.detour_want),
        ]
        bits = range(config.max_words + 1)
        self.number = Signal(range(BANKS + 1))
        self.length = Array(Signal(bits, name=f"length_of_{k}") for k in range(BANKS))
        self.destination = Array(Signal(n, name=f"destination_of_{k}") for k in range(BANKS))
        self.word = Array(Signal(config.width, name=f"word_of_{k}") for k in range(BANKS))
        reports = unit(self.fragment, *self.inside, "reports")
        complaint, gone, lost = Signal(), Signal(), Signal()
        loaded = self._loading(m, reports, complaint)
        self._sending(m, gone, lost, reports, complaint)
        with m.If(gone | lost):
            for what in (self.length, self.destination, self.word):
                m.d.sync += what[0].eq(what[1])
        place = self.number - (gone | lost)
        with m.If(dut.committed):
            for what, new in zip((self.length, self.destination, self.word), loaded, strict=True):
                m.d.sync += what[place[0]].eq(new)
        m.d.sync += self.number.eq(place + dut.committed)
        m.d.comb += [
            Assert(dut.ready == ((self.number < BANKS) & reports.calm)),
            Assert(around.allowed & around_next.counts.next),
            Assert(reports.put == (complaint | lost)),
            Assert(~reports.put | reports.calm),
            Cover(gone & dut.committed & (self.length[0] == 2)),
            Cover(lost & (self.number == BANKS)),
        ]
        return m

    def _loading(self, m, reports, complaint):
        """Take words as the contract says; return length, destination and word of the packet that is complete."""
        dut, config, index = self.dut, self.config, self.index
        n, width = config.dim, config.width
        state, count = Signal(2), Signal(range(config.max_words + 1))
        to, kept = Signal(n), Signal(width)
        first, good, bad, reason = Signal(), Signal(), Signal(), Signal(4)
        differs, source, word = Signal(n), Signal(width), Signal(width)
        words, destination = Signal(range(config.max_words + 2)), Signal(n)
        wrong = ~dut.alone | ~(differs >> dut.dimension)[0]
        if config.routing == "fixed":
            wrong |= lowest(differs) != dut.dimension
        m.d.comb += [
            first.eq(dut.load & (state == EMPTY)),
            differs.eq(dut.data ^ dut.address),
            source.eq(Cat(dut.address, C(0, width - n - PORT_BITS), dut.dimension)),
            words.eq(Mux(first, 1, count + 1)),
            destination.eq(Mux(first, dut.data, to)),
            word.eq(Mux(first, source, Mux(count == index, dut.data, kept))),
            complaint.eq(bad),
        ]
        with m.If(first & dut.none):
            m.d.comb += [bad.eq(1), reason.eq(PacketReason.BAD_SLOT)]
        with m.Elif(first & (dut.data[n:] != 0)):
            m.d.comb += [bad.eq(1), reason.eq(PacketReason.ADDRESS_BITS)]
        with m.Elif(first & (differs != 0) & wrong):
            m.d.comb += [bad.eq(1), reason.eq(PacketReason.BAD_SLOT)]
        with m.Elif(dut.load & (state == LOADING) & (count == config.max_words)):
            m.d.comb += [bad.eq(1), reason.eq(PacketReason.DATA_TOO_LONG)]
        with m.Elif(dut.load & (state != DISCARD)):
            m.d.comb += good.eq(1)
        with m.If(dut.load):
            m.d.sync += state.eq(Mux(dut.last, EMPTY, Mux(bad | (state == DISCARD), DISCARD, LOADING)))
        with m.If(good):
            m.d.sync += [count.eq(words), to.eq(destination), kept.eq(word)]
        bank = register(self.fragment, *self.inside, "_write_bank")
        m.d.comb += [
            Assert(dut.committed == (good & dut.last)),
            Assert(~bad | ((reports.reason == reason) & (reports.destination == destination))),
            # Make it inductive: what is loaded is in the bank.
            Assert(self.register("state") == state),
            Assert(state <= DISCARD),
        ]
        with m.If(state == LOADING):
            m.d.comb += [
                Assert((self.register("count") == count) & (count != 0) & (count <= config.max_words)),
                Assert(self._stored("destination", bank) == to),
                Assert((count <= index) | (self._ram(bank) == kept)),
                Assert(self.number < BANKS),
            ]
        return words, destination, word

    def _stored(self, name, bank):
        """Return what a bank has of a packet, beside its words."""
        return Mux(bank, self.register(f"{name}_1"), self.register(f"{name}_0"))

    def _ram(self, bank):
        """Return the chosen word of a bank."""
        return row(self.fragment, *self.inside, "ram", "words", address=Cat(self.index, bank))

    def _sending(self, m, gone, lost, reports, complaint):
        """Compare what leaves with what was loaded."""
        dut, config, n = self.dut, self.config, self.config.dim
        o, sending = dut.o, self.sending
        place, header = Signal(range(config.max_words + 2)), Signal(config.head_bits)
        begins, ends, waits = Signal(), Signal(), Signal()
        to, length, used = Signal(n), Signal(config.length_bits), Signal(n)
        course, faulty, ways = Signal(PORT_BITS + 1), Signal(), Signal(n)
        ahead, following = Signal(n), Signal(PORT_BITS)
        other = self.sending.bool()

        def contrary(p):
            return (used != 0) & (lowest(used) != p) if config.contrary else C(0)

        m.d.comb += [
            waits.eq(self.number > sending),
            to.eq(self.destination[other]),
            length.eq(self.length[other]),
            used.eq(to ^ dut.address),
            faulty.eq((dut.fault >> dut.dimension)[0]),
            ways.eq(used & ~dut.fault),
            ends.eq(sending & o.last & o.ready),
            gone.eq(ends),
            lost.eq(waits & ~sending & faulty & (ways == 0) & reports.calm & ~complaint),
            begins.eq(dut.accept | dut.detour_start),
            ahead.eq(used ^ (1 << dut.dimension)),
            following.eq(Mux(used == 0, dut.dimension + 1, lowest(ahead))),
            course.eq(
                Mux(
                    dut.detour_start,
                    Cat(dut.detour_next, dut.detour_contrary),
                    Cat(following, contrary(dut.dimension)),
                )
            ),
            Assert(
                dut.request == (waits & (~sending | dut.closing) & ~faulty & ~(contrary(dut.dimension) & dut.refusing))
            ),
            Assert(dut.detour_want == (waits & ~sending & faulty & (ways != 0))),
            Assert(~dut.detour_want | (dut.away == used)),
            Assert(dut.accept == (dut.grant & dut.request & (~sending | ends))),
            Assert((o.valid == sending) & (dut.busy == sending)),
            Assert(~o.valid | (~o.bad & (o.head == (place == 0)) & (o.last == (place == self.length[0])))),
            Assert(~(o.valid & o.head) | (o.data == header)),
            Assert(~(o.valid & (place == self.index + 1)) | (o.data == self.word[0])),
            Assert(~lost | ((reports.reason == PacketReason.UNDELIVERABLE) & (reports.destination == to))),
        ]
        with m.If(begins):
            m.d.sync += [sending.eq(1), place.eq(0)]
            m.d.sync += header.eq(Cat(to, C(0, config.width - n), length, course))
        with m.Elif(ends | dut.refused):
            m.d.sync += sending.eq(0)
        with m.Elif(sending & o.ready):
            m.d.sync += place.eq(place + 1)
        self._inside(m, place)

    def _inside(self, m, place):
        """Say where the packets are, which makes the statements inductive."""
        config, number, sending, index = self.config, self.number, self.sending, self.index
        filled, read, write = (self.register(name) for name in ("_filled", "_read_bank", "_write_bank"))
        bank = self.register("controller", "row")
        word, left, fetched = sending_of(partial(self.register, "controller"))
        data = self.register("ram", "data")
        m.d.comb += [
            Assert(filled == Mux(number == 0, 0, Mux(number == 1, Mux(read, 0b10, 0b01), 0b11))),
            Assert((number <= BANKS) & (write == read ^ number[0]) & (number >= sending)),
            Assert(data[config.width] == 0),
        ]
        for address in range(BANKS << config.word_bits):
            there = row(self.fragment, *self.inside, "ram", "words", address=Const(address, config.word_bits + 1))
            m.d.comb += Assert(there[config.width] == 0)
        for k, at in enumerate((read, ~read)):
            with m.If(number > k):
                m.d.comb += [
                    Assert(self._stored("length", at) == self.length[k]),
                    Assert(self._stored("destination", at) == self.destination[k]),
                    Assert((self.length[k] != 0) & (self.length[k] <= config.max_words)),
                    Assert((self.length[k] <= index) | (self._ram(at) == self.word[k])),
                ]
        with m.If(sending):
            m.d.comb += [
                Assert((bank == read) & (place <= self.length[0])),
                Assert(left + place + fetched == self.length[0]),
                Assert((word == (place + fetched)[: len(word)]) & (fetched | (left == 0))),
                Assert(~fetched | (place != index) | (data == self.word[0])),
            ]
        with m.Else():
            m.d.comb += Assert(~fetched & (left == 0))


def lowest(vector):
    """Return the number of the lowest set bit, or that of bits if none is."""
    number = C(len(vector), PORT_BITS)
    for bit in reversed(range(len(vector))):
        number = Mux(vector[bit], bit, number)
    return number
