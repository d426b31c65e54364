"""AXI4 master for the word ports of node memory."""

from amaranth import *
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

from cubecast.golden.node.contract.config import NodeConfig
from cubecast.rtl.node.stream import ADDRESS_BITS, BEATS_BITS, STROBES, WORD_ADDRESS_BITS, WORD_BITS, Read, Write

__all__ = ["AxiMemory", "axi_master"]

PAGE_BITS = 10
"""A burst stays within so many bits of words, which are 4 KB."""

WORD_SIZE, INCR = 2, 1
"""Size of a beat, 2**2 bytes; a burst with ascending addresses."""


def axi_master() -> dict[str, wiring.Member]:
    """Return the ports of an AXI4 master of words, by their names behind ``m_axi_``."""
    asks = {"id": Out(1), "addr": Out(ADDRESS_BITS), "len": Out(8), "size": Out(3), "burst": Out(2)}
    channels = {
        "ar": {**asks, "valid": Out(1), "ready": In(1)},
        "r": {"id": In(1), "data": In(WORD_BITS), "resp": In(2), "last": In(1), "valid": In(1), "ready": Out(1)},
        "aw": {**asks, "valid": Out(1), "ready": In(1)},
        "w": {"data": Out(WORD_BITS), "strb": Out(STROBES), "last": Out(1), "valid": Out(1), "ready": In(1)},
        "b": {"id": In(1), "resp": In(2), "valid": In(1), "ready": Out(1)},
    }
    return {f"{channel}{name}": port for channel, ports in channels.items() for name, port in ports.items()}


class AxiMemory(wiring.Component):
    """Ask for words in bursts of up to 16 within 4 KB, and write one at a time; requests go through registers.

    Parameters
    ----------
    config : NodeConfig
        Parameters of the node.

    Ports
    -----
    read__valid, read__address, read__beats, read__ready : 1, 30, 4, 1
        Words that are wanted.
    data__valid, data__word, data__error : out, 1 and 32 and 1
        Words that come.
    write__valid, write__address, write__data, write__strobe, write__ready : 1, 30, 32, 4, 1
        Words to be written.
    done, done_error : out
        A word is written, or could not be.
    m_axi_* : AXI4 master, 32 bits
        One ID; always ready for answers.

    Source: AMBA AXI4.
    """

    def __init__(self, config: NodeConfig):
        self.config = config
        super().__init__(
            {
                "read": In(Read()),
                "data": Out(wiring.Signature({"valid": Out(1), "word": Out(WORD_BITS), "error": Out(1)})),
                "write": In(Write()),
                "done": Out(1),
                "done_error": Out(1),
                **{f"m_axi_{name}": port for name, port in axi_master().items()},
            }
        )

    def elaborate(self, platform):
        """Build a register for each request; a read that crosses 4 KB is two bursts."""
        m = Module()
        self._reads(m)
        self._writes(m)
        for channel in ("ar", "aw"):
            m.d.comb += [
                getattr(self, f"m_axi_{channel}size").eq(WORD_SIZE),
                getattr(self, f"m_axi_{channel}burst").eq(INCR),
            ]
        m.d.comb += [
            self.m_axi_rready.eq(1),
            self.data.valid.eq(self.m_axi_rvalid),
            self.data.word.eq(self.m_axi_rdata),
            self.data.error.eq(self.m_axi_rresp.any()),
            self.m_axi_bready.eq(1),
            self.done.eq(self.m_axi_bvalid),
            self.done_error.eq(self.m_axi_bresp.any()),
        ]
        return m

    def _reads(self, m):
        """Ask for a burst, and for what is behind the 4 KB."""
        read = self.read
        address, length, valid = Signal(WORD_ADDRESS_BITS), Signal(BEATS_BITS), self.m_axi_arvalid
        more, rest = Signal(), Signal(BEATS_BITS)
        room = Signal(PAGE_BITS)
        m.d.comb += [
            read.ready.eq(~valid),
            self.m_axi_araddr.eq(address << 2),
            self.m_axi_arlen.eq(length),
            # Words behind the first one that are before the 4 KB end.
            room.eq(~read.address[:PAGE_BITS]),
        ]
        with m.If(read.valid & read.ready):
            m.d.sync += [valid.eq(1), address.eq(read.address), length.eq(read.beats), more.eq(0)]
            with m.If(read.beats > room):
                m.d.sync += [length.eq(room), more.eq(1), rest.eq(read.beats - room - 1)]
        with m.Elif(valid & self.m_axi_arready):
            m.d.sync += [
                valid.eq(more),
                more.eq(0),
                address.eq(Cat(C(0, PAGE_BITS), (address[PAGE_BITS:] + 1)[: WORD_ADDRESS_BITS - PAGE_BITS])),
                length.eq(rest),
            ]

    def _writes(self, m):
        """Ask for a burst of one beat; address and data are taken each for itself."""
        write = self.write
        address, asks, gives = Signal(WORD_ADDRESS_BITS), self.m_axi_awvalid, self.m_axi_wvalid
        m.d.comb += [
            write.ready.eq((~asks | self.m_axi_awready) & (~gives | self.m_axi_wready)),
            self.m_axi_awaddr.eq(address << 2),
            self.m_axi_wlast.eq(1),
        ]
        with m.If(write.valid & write.ready):
            m.d.sync += [
                asks.eq(1),
                gives.eq(1),
                address.eq(write.address),
                self.m_axi_wdata.eq(write.data),
                self.m_axi_wstrb.eq(write.strobe),
            ]
        with m.Else():
            with m.If(self.m_axi_awready):
                m.d.sync += asks.eq(0)
            with m.If(self.m_axi_wready):
                m.d.sync += gives.eq(0)
