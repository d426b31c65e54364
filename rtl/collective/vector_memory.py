"""Vector memory: the node's vector, while it is merged and sent."""

from amaranth import *
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out
from amaranth.utils import ceil_log2

from cubecast.golden.collective.contract.config import CollectiveConfig
from cubecast.rtl.common.pointed_memory import PointedMemory
from cubecast.rtl.multicast.data_buffer import LUT_RAM_WORDS

__all__ = ["VectorMemory", "rows"]

POINTERS = ("pointer", "newest")
"""Registers: where a memory that is read ahead is read, and where it was written last."""


def rows(words: int) -> int:
    """Return the rows of a memory for so many words: a power of two up to one LUT-RAM, then a multiple of that."""
    return max(2, min(1 << ceil_log2(words), -(-words // LUT_RAM_WORDS) * LUT_RAM_WORDS))


class VectorMemory(wiring.Component):
    """Keep V words; a read is combinational, and sees a word from the cycle after its write on.

    The words are 0 at first, and no reset changes anything. With ``memories`` = block the read address comes one cycle
    earlier.

    Parameters
    ----------
    config : CollectiveConfig
        Gives the number of words and their width.

    Ports
    -----
    read_address : in, bits of 0..V-1
        Address of the read port; with ``memories`` = distributed.
    read_ahead : in, bits of 0..V-1
        Its address in the next cycle; with ``memories`` = block.
    write, write_address, write_data : in, 1 and bits of 0..V-1 and w
        Write a word; not done at an address of V or more.
    read_data : out, w
        The word at the address; meaningless unless that is less than V.

    Source: Leu and Kuo, the tree merge.
    """

    def __init__(self, config: CollectiveConfig):
        self.config = config
        super().__init__(
            {
                "read_ahead" if config.reads_ahead else "read_address": In(config.place_bits),
                "write": In(1),
                "write_address": In(config.place_bits),
                "write_data": In(config.width),
                "read_data": Out(config.width),
            }
        )

    def elaborate(self, platform):
        """Build the memory."""
        m = Module()
        words, memories = self.config.max_vector, self.config.router.memories
        stored = PointedMemory(m, "words", memories, shape=self.config.width, depth=rows(words))
        write = stored.write_port()
        m.d.comb += [
            write.en.eq(self.write & (self.write_address < words)),
            write.addr.eq(self.write_address),
            write.data.eq(self.write_data),
        ]
        if self.config.reads_ahead:
            pointer, newest = (Signal(self.config.place_bits, name=name, reset_less=True) for name in POINTERS)
            m.d.sync += pointer.eq(self.read_ahead)
            with m.If(write.en):
                m.d.sync += newest.eq(self.write_address)
            read = stored.read(pointer, self.read_ahead, pointer == newest)
        else:
            read = stored.read(self.read_address)
        m.d.comb += self.read_data.eq(read)
        return m
