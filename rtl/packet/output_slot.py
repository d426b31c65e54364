"""Output slot: the buffer of the node output port for one dimension."""

from enum import IntEnum

from amaranth import *
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out, connect, flipped

from cubecast.golden.packet.contract.config import PORT_BITS, PacketConfig
from cubecast.golden.packet.contract.packet import KIND_BITS
from cubecast.golden.packet.contract.reason import PacketReason
from cubecast.rtl.common.instance import place
from cubecast.rtl.common.report import Report
from cubecast.rtl.common.report_queue import ReportQueue
from cubecast.rtl.packet.buffer_ram import BufferRam
from cubecast.rtl.packet.link import Flit
from cubecast.rtl.packet.next_port import NextPort, lowbit
from cubecast.rtl.packet.output_controller import OutputController

__all__ = ["OutputSlot"]

BANKS = 2


class Loading(IntEnum):
    """What becomes of the next word of the node."""

    EMPTY = 0
    LOADING = 1
    DISCARD = 2


class OutputSlot(wiring.Component):
    """Take packets of the node for one dimension, and send each when it is complete.

    Two banks: one packet is loaded while another is sent. A packet is ready to be sent from the cycle after its last
    word on; its head leaves in the cycle after the grant.

    Parameters
    ----------
    config : PacketConfig
        Parameters of the router.
    kinds : bool
        The node says of each packet what kind it is, and the source word has that below the slot.

    Ports
    -----
    address : in, n
        Strap: the node's address.
    dimension : in, 4
        Strap: the slot's number j.
    fault : in, n
        Faulty links; only with ``fault_tolerant``.
    refusing : in
        No contrary packet can be sent in dimension j.
    load, data, last, alone, none : in, 1 and w and 1 and 1 and 1
        A word for this slot; the final one of its packet; this is the only slot that it is for; no slot was named.
    kind : in, 2
        Kind of the packet, with its first word; only with ``kinds``.
    ready : out
        A word can be taken.
    committed : out
        A packet is complete in this cycle.
    grant, refused : in
        Answers of the crossbar.
    request, accept, closing : out
        A packet waits for output j; it comes; nothing of it is left to be read.
    o__valid, o__head, o__last, o__bad, o__data, o__ready
        The packet being sent.
    busy : out
        A packet is being sent.
    detour_want, away : out, 1 and n
        A packet needs another dimension, of those that it has to cross; only with ``fault_tolerant``.
    detour_start, detour_contrary, detour_next : in, 1 and 1 and 4
        It is sent by another one, with these fields in its head; only with ``fault_tolerant``.
    report__valid, report__reason, report__destination, report__ready
        Reports about packets that are not sent.

    Source: Buzzard 1988, section 5.4.4, figure 5.7.
    """

    def __init__(self, config: PacketConfig, *, kinds: bool = False):
        self.config = config
        self._kinds = kinds
        members = {
            "address": In(config.dim),
            "dimension": In(PORT_BITS),
            "refusing": In(1),
            "load": In(1),
            "data": In(config.width),
            "last": In(1),
            "alone": In(1),
            "none": In(1),
            "ready": Out(1),
            "committed": Out(1),
            "grant": In(1),
            "refused": In(1),
            "request": Out(1),
            "accept": Out(1),
            "closing": Out(1),
            "o": Out(Flit(config)),
            "busy": Out(1),
            "report": Out(Report(config.dim)),
        }
        if kinds:
            members["kind"] = In(KIND_BITS)
        if config.fault_tolerant:
            members |= {
                "fault": In(config.dim),
                "detour_want": Out(1),
                "away": Out(config.dim),
                "detour_start": In(1),
                "detour_contrary": In(1),
                "detour_next": In(PORT_BITS),
            }
        super().__init__(members)

    def elaborate(self, platform):
        """Place the parts and connect them; loading and sending share the banks."""
        m = Module()
        config = self.config
        self._ram = place(m, "ram", BufferRam, config, count=BANKS)
        self._controller = place(m, "controller", OutputController, config, rows=BANKS)
        self._reports = place(m, "reports", ReportQueue, config.control)
        connect(m, self._reports.o, flipped(self.report))
        self._complaint = Signal()
        self._filled = Signal(BANKS)
        self._write_bank = Signal()
        self._read_bank = Signal()
        self._length = Array(Signal(config.length_bits, name=f"length_{bank}") for bank in range(BANKS))
        self._destination = Array(Signal(config.dim, name=f"destination_{bank}") for bank in range(BANKS))
        self._send(m)
        self._load(m)
        return m

    def _report(self, reason, destination):
        """Return the assignments that put a report."""
        reports = self._reports
        return [reports.put.eq(1), reports.reason.eq(reason), reports.destination.eq(destination)]

    def _complain(self, reason, destination):
        """Return the same for a packet that is being loaded."""
        return [self._complaint.eq(1), *self._report(reason, destination)]

    def _load(self, m):
        """Take words; a report of this part is made only when the queue is empty."""
        config = self.config
        n, width = config.dim, config.width
        state = Signal(Loading)
        count = Signal(range(config.max_words + 1))
        bank = self._write_bank
        used = Signal(n)
        wrong = Signal()
        several = Signal()
        m.d.comb += [
            self.ready.eq(~self._filled.bit_select(bank, 1) & self._reports.calm),
            used.eq(self.data[:n] ^ self.address),
            several.eq(~self.alone | ~used.bit_select(self.dimension, 1)),
        ]
        if config.routing == "fixed":
            m.d.comb += wrong.eq(used.any() & (several | (lowbit(used) != self.dimension)))
        else:
            m.d.comb += wrong.eq(used.any() & several)

        write = Signal()
        words = Signal(range(config.max_words + 1))
        top = Cat(self.kind, self.dimension) if self._kinds else self.dimension
        m.d.comb += [
            self._ram.write.eq(write),
            self._ram.write_row.eq(bank),
            self._ram.write_word.eq(Mux(state == Loading.EMPTY, 0, count)),
            self._ram.write_data.eq(
                Mux(state == Loading.EMPTY, Cat(self.address, C(0, width - n - len(top)), top), self.data)
            ),
            words.eq(Mux(state == Loading.EMPTY, 1, count + 1)),
        ]
        with m.If(self.load & (state == Loading.EMPTY)):
            with m.If(self.none):
                m.d.comb += self._complain(PacketReason.BAD_SLOT, self.data[:n])
            with m.Elif(self.data[n:].any()):
                m.d.comb += self._complain(PacketReason.ADDRESS_BITS, self.data[:n])
            with m.Elif(wrong):
                m.d.comb += self._complain(PacketReason.BAD_SLOT, self.data[:n])
            with m.Else():
                m.d.comb += write.eq(1)
                m.d.sync += self._destination[bank].eq(self.data[:n])
        with m.Elif(self.load & (state == Loading.LOADING)):
            with m.If(count == config.max_words):
                m.d.comb += self._complain(PacketReason.DATA_TOO_LONG, self._destination[bank])
            with m.Else():
                m.d.comb += write.eq(1)
        with m.Elif(self.load & self.last):
            m.d.sync += state.eq(Loading.EMPTY)
        with m.If(self._complaint):
            m.d.sync += state.eq(Mux(self.last, Loading.EMPTY, Loading.DISCARD))
        m.d.comb += self.committed.eq(write & self.last)
        with m.If(write):
            m.d.sync += [count.eq(words), state.eq(Loading.LOADING)]
        with m.If(self.committed):
            m.d.sync += [
                self._length[bank].eq(words),
                self._filled.bit_select(bank, 1).eq(1),
                bank.eq(~bank),
                state.eq(Loading.EMPTY),
            ]

    def _send(self, m):
        """Ask for the output, send, and let go of a packet that cannot be sent."""
        config = self.config
        n = config.dim
        controller, ram = self._controller, self._ram
        bank = Signal()
        filled = Signal()
        free = Signal()
        done = Signal()
        destination = Signal(n)
        used = Signal(n)
        m.d.comb += [
            bank.eq(self._read_bank ^ controller.busy),
            filled.eq(self._filled.bit_select(bank, 1)),
            destination.eq(self._destination[bank]),
            used.eq(destination ^ self.address),
            free.eq(~controller.busy | controller.closing),
            done.eq(controller.done),
            self.busy.eq(controller.busy),
            self.closing.eq(controller.closing),
        ]
        connect(m, controller.o, flipped(self.o))

        leave = [self._filled.bit_select(self._read_bank, 1).eq(0), self._read_bank.eq(~self._read_bank)]
        own = Signal()
        start = Signal()
        whole = Signal()
        contrary = Signal()
        faulty = Signal()
        next_port = place(m, "next_port", NextPort, config)
        course = Cat(next_port.next, contrary)
        m.d.comb += [
            own.eq((~controller.busy | done) & self.grant & self.request),
            whole.eq(used == 0),
            contrary.eq(~whole & (lowbit(used) != self.dimension) if config.contrary else 0),
            self.request.eq(filled & free & ~faulty & ~(contrary & self.refusing)),
            self.accept.eq(own),
        ]
        if config.fault_tolerant:
            waits = Signal()
            goes = Signal()
            lost = Signal()
            m.d.comb += [
                faulty.eq(self.fault.bit_select(self.dimension, 1)),
                # While a packet is being sent, none goes another way.
                self.away.eq(self._destination[self._read_bank] ^ self.address),
                waits.eq(self._filled.bit_select(self._read_bank, 1) & ~controller.busy & faulty),
                goes.eq((self.away & ~self.fault).any()),
                self.detour_want.eq(waits & goes),
                lost.eq(waits & ~goes & self._reports.calm & ~self._complaint),
                start.eq(own | self.detour_start),
            ]
            # Which way a packet goes is known before it is granted: another one if its link is faulty, and only then.
            course = Mux(faulty, Cat(self.detour_next, self.detour_contrary), course)
            with m.If(lost):
                m.d.comb += self._report(PacketReason.UNDELIVERABLE, destination)
                m.d.sync += leave
        else:
            m.d.comb += start.eq(own)
        m.d.comb += [
            next_port.address.eq(self.address),
            next_port.destination.eq(destination),
            next_port.port.eq(self.dimension),
            next_port.broadcast.eq(whole),
            controller.start.eq(start),
            controller.start_row.eq(bank),
            controller.start_length.eq(self._length[bank]),
            controller.start_head.eq(Cat(destination, C(0, config.width - n), self._length[bank], course)),
            controller.stop.eq(self.refused),
            controller.limited.eq(0),
            controller.limit.eq(0),
            controller.ram_data.eq(ram.data),
            ram.read.eq(controller.read),
            ram.read_row.eq(controller.read_row),
            ram.read_word.eq(controller.read_word),
        ]
        with m.If(done & ~self.refused):
            m.d.sync += leave
