"""Input controller: takes packets from a link into the CAM and the buffer RAM."""

from amaranth import *
from amaranth.lib import data, wiring
from amaranth.lib.wiring import In, Out
from amaranth.utils import bits_for

from cubecast.golden.common.contract.units import REASON_BITS
from cubecast.golden.packet.contract.config import PORT_BITS, PacketConfig
from cubecast.golden.packet.contract.reason import PacketReason

__all__ = ["InputController"]


class InputController(wiring.Component):
    """Check heads, load them into the CAM, and write the words behind them into the buffer RAM.

    All strobes are of the cycle in which the head or word comes. A packet that ends early leaves a mark in the RAM in
    place of its next word. What no correct neighbour sends is discarded and reported.

    Parameters
    ----------
    config : PacketConfig
        Parameters of the router.

    Ports
    -----
    address, dimension : in, n and 4
        Straps: the local node, and the dimension i of the link.
    valid, head, data : in, 1 and 1 and H
        From the link.
    cut_short : in
        The packet being received ends here.
    cut : in
        The link's fault bit.
    calm : in
        No report is waiting.
    free_rows, ram_row, all_contrary : in, bits of 0..R and bits of 0..R-1 and 1
        From the CAM.
    ready, refusing : out
        A whole packet can be taken; no contrary one now.
    receiving, row, count : out, 1 and bits of 0..R-1 and bits of 0..M
        A packet is being received, into that RAM row, and so many words of it are there; registers.
    load, load_contrary, load_next, load_length, load_destination : out, 1 and 1 and 4 and LB and n
        To the CAM.
    write, write_row, write_word, write_data : out, 1 and bits of 0..R-1 and word_bits and W + 1
        To the RAM.
    report, reason, report_destination : out, 1 and 4 and n
        Strobe: a packet was refused or lost.

    Source: Buzzard 1988, section 5.4.2; contrary packets: section 5.3.
    """

    def __init__(self, config: PacketConfig):
        self.config = config
        row = bits_for(config.rows - 1)
        super().__init__(
            {
                "address": In(config.dim),
                "dimension": In(PORT_BITS),
                "valid": In(1),
                "head": In(1),
                "data": In(config.head_bits),
                "cut_short": In(1),
                "cut": In(1),
                "calm": In(1),
                "free_rows": In(bits_for(config.rows)),
                "ram_row": In(row),
                "all_contrary": In(1),
                "ready": Out(1),
                "refusing": Out(1),
                "receiving": Out(1),
                "row": Out(row),
                "count": Out(bits_for(config.max_words)),
                "load": Out(1),
                "load_contrary": Out(1),
                "load_next": Out(PORT_BITS),
                "load_length": Out(config.length_bits),
                "load_destination": Out(config.dim),
                "write": Out(1),
                "write_row": Out(row),
                "write_word": Out(config.word_bits),
                "write_data": Out(config.width + 1),
                "report": Out(1),
                "reason": Out(REASON_BITS),
                "report_destination": Out(config.dim),
            }
        )

    def elaborate(self, platform):
        """Decode and check the head; receive."""
        m = Module()
        config = self.config
        head = Signal(
            data.StructLayout(
                {"destination": config.width, "length": config.length_bits, "next": PORT_BITS, "contrary": 1}
            )
        )
        malformed, arrives = Signal(), Signal()
        length = Signal(config.length_bits)
        destination = Signal(config.dim)
        after = Signal(config.length_bits)
        if config.contrary and config.contrary_rule:
            m.d.comb += self.refusing.eq((self.free_rows == 1) & self.all_contrary)
        m.d.comb += [
            head.eq(self.data),
            malformed.eq(self._malformed(m, head)),
            arrives.eq(self.valid & self.head),
            after.eq(self.count + 1),
            self.ready.eq(((self.free_rows != 0) | self.cut) & self.calm),
            self.load_contrary.eq(head.contrary),
            self.load_next.eq(head.next),
            self.load_length.eq(head.length),
            self.load_destination.eq(head.destination),
            self.write_row.eq(self.row),
            self.write_word.eq(self.count),
            self.reason.eq(PacketReason.INPUT_CUT),
            self.report_destination.eq(Mux(self.receiving, destination, head.destination)),
        ]
        with m.If(self.receiving):
            with m.If(self.cut | self.cut_short | arrives):
                m.d.comb += [self.write.eq(1), self.write_data[-1].eq(1), self.report.eq(1)]
                with m.If(~self.cut):
                    m.d.comb += self.reason.eq(PacketReason.TRUNCATED)
                m.d.sync += self.receiving.eq(0)
            with m.Elif(self.valid):
                m.d.comb += [self.write.eq(1), self.write_data.eq(self.data[: config.width])]
                m.d.sync += self.count.eq(after)
                with m.If(after == length):
                    m.d.sync += self.receiving.eq(0)
        with m.Elif(arrives):
            with m.If(self.cut | malformed):
                m.d.comb += self.report.eq(1)
                with m.If(~self.cut):
                    m.d.comb += self.reason.eq(PacketReason.LINK_PROTOCOL)
            with m.Else():
                m.d.comb += self.load.eq(1)
                m.d.sync += [
                    self.receiving.eq(1),
                    self.row.eq(self.ram_row),
                    self.count.eq(0),
                    length.eq(head.length),
                    destination.eq(head.destination),
                ]
        return m

    def _malformed(self, m, head):
        """Return whether no correct neighbour sends this head now."""
        config, n = self.config, self.config.dim
        differs, dimension = Signal(n), Signal(n)
        lowest = Signal(PORT_BITS, init=n)
        expected = Signal(PORT_BITS)
        m.d.comb += [
            differs.eq(self.address ^ head.destination[:n]),
            dimension.eq(Cat(self.dimension == i for i in range(n))),
            expected.eq(Mux((differs & dimension).any(), self.dimension + 1, lowest)),
        ]
        for i in reversed(range(n)):
            with m.If(differs[i]):
                m.d.comb += lowest.eq(i)
        wrong = [
            head.length == 0,
            head.destination[n:].any(),
            head.next != expected,
            # After the fixed choice, and of a broadcast, nothing is left to cross below; after other hops something is.
            head.contrary != (head.next < self.dimension),
            self.free_rows == 0,
        ]
        if config.max_words + 1 < 1 << config.length_bits:
            wrong.append(head.length > config.max_words)
        wrong.append(head.contrary & self.refusing if config.contrary else head.contrary)
        return Cat(wrong).any()
