"""Output controller: reads one packet from a buffer RAM and sends it as flits."""

from amaranth import *
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out
from amaranth.utils import bits_for

from cubecast.golden.packet.contract.config import PacketConfig
from cubecast.rtl.packet.link import Flit

__all__ = ["OutputController"]


class OutputController(wiring.Component):
    """Send a head in the cycle after ``start``, and the packet's words behind it, one per cycle.

    It may send a packet that is still being received: ``limit`` keeps it behind the words that are there. A packet of
    which the RAM says that it ended early ends early here too.

    Parameters
    ----------
    config : PacketConfig
        Parameters of the router.
    rows : int
        Rows of the RAM, at least 1.

    Ports
    -----
    start, start_row, start_length, start_head : in, 1 and bits of 0..rows-1 and LB and H
        Send the packet of that row; only when nothing is being sent, or its last flit goes in this cycle.
    stop : in
        Drop the packet being sent.
    limited, limit : in, 1 and bits of 0..M
        Of the row ``read_row`` only the words below ``limit`` are there.
    ram_data : in, W + 1
        Output register of the RAM.
    read, read_row, read_word : out, 1 and bits of 0..rows-1 and word_bits
        Word to be read.
    busy : out
        A packet is being sent; a register.
    closing : out
        The same, and all its words have been read.
    done : out
        Its last flit goes in this cycle.
    o__valid, o__head, o__last, o__bad, o__data, o__ready
        The flits; a register.

    Raises
    ------
    ValueError
        ``rows`` is not an integer of at least 1.

    Source: Buzzard 1988, section 5.4.2.
    """

    def __init__(self, config: PacketConfig, *, rows: int):
        if type(rows) is not int or rows < 1:
            raise ValueError(f"rows must be an integer of at least 1, not {rows!r}")
        self.config = config
        self.rows = rows
        row = bits_for(rows - 1)
        super().__init__(
            {
                "start": In(1),
                "start_row": In(row),
                "start_length": In(config.length_bits),
                "start_head": In(config.head_bits),
                "stop": In(1),
                "limited": In(1),
                "limit": In(bits_for(config.max_words)),
                "ram_data": In(config.width + 1),
                "read": Out(1),
                "read_row": Out(row),
                "read_word": Out(config.word_bits),
                "row": Out(row),
                "busy": Out(1),
                "closing": Out(1),
                "done": Out(1),
                "o": Out(Flit(config)),
            }
        )

    def elaborate(self, platform):
        """Build the pipeline: address, register of the RAM, output register."""
        m = Module()
        config, o = self.config, self.o
        # Next to be read, and how many there are: nothing is computed of the length of what is started.
        word, length = Signal(config.length_bits), Signal(config.length_bits)
        fetched = Signal()
        all_read, bad, move = Signal(), Signal(), Signal()
        begins, goes_on = Signal(), Signal()
        m.d.comb += [
            all_read.eq(word == length),
            bad.eq(fetched & self.ram_data[config.width]),
            move.eq(fetched & (~o.valid | o.ready)),
            self.done.eq(o.valid & o.last & o.ready),
            self.closing.eq(self.busy & all_read),
            # Only a start reads when all has been read, so that the address does not wait for it.
            self.read_row.eq(Mux(all_read, self.start_row, self.row)),
            self.read_word.eq(Mux(all_read, 0, word)),
            # What a start depends on comes late: it chooses between what is known of both cases.
            begins.eq(~bad & (~self.limited | (self.limit != 0))),
            goes_on.eq(
                self.busy & ~self.done & (~fetched | move) & ~all_read & ~bad & (~self.limited | (word < self.limit))
            ),
            self.read.eq(Mux(self.start, begins, goes_on)),
        ]
        with m.If(move):
            m.d.sync += [
                o.valid.eq(1),
                o.head.eq(0),
                o.last.eq(all_read | bad),
                o.bad.eq(bad),
                o.data.eq(Mux(bad, 0, self.ram_data[: config.width])),
                fetched.eq(0),
            ]
        with m.Elif(o.ready):
            m.d.sync += o.valid.eq(0)
        with m.If(self.read):
            m.d.sync += [fetched.eq(1), word.eq(Mux(all_read, 1, word + 1))]
        with m.Elif(self.start):
            m.d.sync += word.eq(0)
        with m.Elif(move & bad):
            m.d.sync += length.eq(word)
        with m.If(self.start):
            m.d.sync += [
                self.busy.eq(1),
                self.row.eq(self.start_row),
                length.eq(self.start_length),
                o.valid.eq(1),
                o.head.eq(1),
                o.last.eq(0),
                o.bad.eq(0),
                o.data.eq(self.start_head),
            ]
        with m.Elif(self.done):
            m.d.sync += self.busy.eq(0)
        with m.If(self.stop):
            m.d.sync += [self.busy.eq(0), fetched.eq(0), o.valid.eq(0), word.eq(0), length.eq(0)]
        return m
