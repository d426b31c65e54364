"""Packet buffer unit: the packets that came over one link."""

from amaranth import *
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out
from amaranth.utils import bits_for

from cubecast.golden.packet.contract.config import PORT_BITS, PacketConfig
from cubecast.rtl.common.instance import place
from cubecast.rtl.common.report import Report
from cubecast.rtl.common.report_queue import ReportQueue
from cubecast.rtl.packet.buffer_ram import BufferRam
from cubecast.rtl.packet.cam import Cam
from cubecast.rtl.packet.input_controller import InputController
from cubecast.rtl.packet.link import Flit
from cubecast.rtl.packet.next_port import NextPort
from cubecast.rtl.packet.output_controller import OutputController

__all__ = ["PacketBufferUnit"]


class PacketBufferUnit(wiring.Component):
    """Receive packets of one dimension, and send each to the crossbar when its output is granted.

    A packet may be sent while it is still being received (virtual cut-through). Of packets for the same output the
    older goes first; a packet for another output may overtake it. A head received in cycle t is in the output register
    in cycle t + 3 at the earliest: load, grant, start.

    Parameters
    ----------
    config : PacketConfig
        Parameters of the router.

    Ports
    -----
    address, dimension : in, n and 4
        Straps: the local node, and the dimension i of the link.
    cut : in
        The link's fault bit.
    valid, head, data, cut_short : in, 1 and 1 and H and 1
        From the link, and that the packet being received ends here.
    ready, refusing : out
        To the link: a whole packet can be taken; no contrary one now.
    receiving : out
        A packet is being received; a register.
    accepted : out
        A head was good and is loaded in this cycle.
    request, grant : out and in, n + 1
        Outputs that packets wait for; outputs that are kept for this unit.
    accept : out, n + 1
        The output whose grant is used in this cycle; one-hot or 0.
    closing : out
        All words of the packet being sent have been read.
    o__valid, o__head, o__last, o__bad, o__data, o__ready
        The packet being sent.
    report__valid, report__reason, report__destination, report__ready
        Packets refused or lost.
    free_rows : out, bits of 0..R
        Rows not occupied.

    Source: Buzzard 1988, section 5.4.2, figure 5.4.
    """

    def __init__(self, config: PacketConfig):
        self.config = config
        super().__init__(
            {
                "address": In(config.dim),
                "dimension": In(PORT_BITS),
                "cut": In(1),
                "valid": In(1),
                "head": In(1),
                "data": In(config.head_bits),
                "cut_short": In(1),
                "ready": Out(1),
                "refusing": Out(1),
                "receiving": Out(1),
                "accepted": Out(1),
                "request": Out(config.ports),
                "grant": In(config.ports),
                "accept": Out(config.ports),
                "closing": Out(1),
                "o": Out(Flit(config)),
                "report": Out(Report(config.dim)),
                "free_rows": Out(bits_for(config.rows)),
            }
        )

    def elaborate(self, platform):
        """Connect the two controllers by the CAM and the RAM."""
        m = Module()
        config = self.config
        cam = place(m, "cam", Cam, config)
        ram = place(m, "ram", BufferRam, config, count=config.rows)
        receiver = place(m, "input_controller", InputController, config)
        sender = place(m, "output_controller", OutputController, config, rows=config.rows)
        reports = place(m, "report_queue", ReportQueue, config.control)
        for name in ("address", "dimension", "valid", "head", "data", "cut_short", "cut"):
            m.d.comb += getattr(receiver, name).eq(getattr(self, name))
        for name in ("ready", "refusing", "receiving"):
            m.d.comb += getattr(self, name).eq(getattr(receiver, name))
        for name in ("free_rows", "ram_row", "all_contrary"):
            m.d.comb += getattr(receiver, name).eq(getattr(cam, name))
        for name in ("load", "load_contrary", "load_next", "load_length", "load_destination"):
            m.d.comb += getattr(cam, name).eq(getattr(receiver, name))
        for name in ("write", "write_row", "write_word", "write_data"):
            m.d.comb += getattr(ram, name).eq(getattr(receiver, name))
        for name in ("read", "read_row", "read_word"):
            m.d.comb += getattr(ram, name).eq(getattr(sender, name))
        m.d.comb += [
            receiver.calm.eq(reports.calm),
            reports.put.eq(receiver.report),
            reports.reason.eq(receiver.reason),
            reports.destination.eq(receiver.report_destination),
            self.accepted.eq(receiver.load),
            self.free_rows.eq(cam.free_rows),
            self.closing.eq(sender.closing),
            sender.ram_data.eq(ram.data),
            # What is coming in is the last row loaded.
            sender.limited.eq(receiver.receiving & Mux(sender.start, cam.found_newest, sender.row == receiver.row)),
            sender.limit.eq(receiver.count),
        ]
        wiring.connect(m, reports.o, wiring.flipped(self.report))
        wiring.connect(m, sender.o, wiring.flipped(self.o))
        self._start(m, cam, sender)
        return m

    def _start(self, m, cam, sender):
        """Ask for outputs, and start a packet when one is granted."""
        config, n = self.config, self.config.dim
        start, goes_on, finished = Signal(), Signal(), Signal()
        following = place(m, "next_port", NextPort, config)
        crossed = Cat(self.dimension == i for i in range(n))
        m.d.comb += [
            # Found when a packet comes, not when it leaves.
            following.address.eq(self.address),
            following.destination.eq(cam.load_destination),
            following.port.eq(cam.load_next),
            following.broadcast.eq(cam.load_broadcast),
            cam.load_after.eq(following.next),
            cam.load_broadcast.eq(((self.address ^ cam.load_destination) & crossed).any()),
            self.request.eq(cam.waiting & (cam.oldest | (~sender.busy | sender.closing).replicate(config.ports))),
            start.eq((~sender.busy | sender.done) & cam.found),
            self.accept.eq(cam.found_next & start.replicate(config.ports)),
            goes_on.eq(cam.found_broadcast & ~cam.found_next[config.local]),
            cam.grant.eq(self.grant),
            cam.rewrite.eq(start),
            cam.free.eq(sender.done & finished),
            cam.free_row.eq(sender.row),
            sender.start.eq(start),
            sender.start_row.eq(cam.found_row),
            sender.start_length.eq(cam.found_length),
            sender.start_head.eq(
                Cat(cam.found_destination, C(0, config.width - n), cam.found_length, cam.found_after, C(0, 1))
            ),
        ]
        with m.If(start):
            m.d.sync += finished.eq(~goes_on)
