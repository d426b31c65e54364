"""Vector memory: the node's vector, while it is merged and sent."""

from amaranth import *
from amaranth.lib import memory, wiring
from amaranth.lib.wiring import In, Out
from amaranth.utils import ceil_log2

from cubecast.golden.collective.contract.config import CollectiveConfig
from cubecast.rtl.multicast.data_buffer import LUT_RAM_WORDS

__all__ = ["VectorMemory", "rows"]


def rows(words: int) -> int:
    """Return the rows of a memory for so many words: a power of two up to one LUT-RAM, then a multiple of that."""
    return max(2, min(1 << ceil_log2(words), -(-words // LUT_RAM_WORDS) * LUT_RAM_WORDS))


class VectorMemory(wiring.Component):
    """Keep V words; a read is combinational, and sees a word from the cycle after its write on.

    The words are 0 at first, and no reset changes them.

    Parameters
    ----------
    config : CollectiveConfig
        Gives the number of words and their width.

    Ports
    -----
    read_address : in, bits of 0..V-1
        Address of the read port.
    write, write_address, write_data : in, 1 and bits of 0..V-1 and w
        Write a word; not done at an address of V or more.
    read_data : out, w
        The word at ``read_address``; meaningless unless ``read_address`` < V.

    Source: Leu and Kuo, the tree merge.
    """

    def __init__(self, config: CollectiveConfig):
        self.config = config
        super().__init__(
            {
                "read_address": In(config.place_bits),
                "write": In(1),
                "write_address": In(config.place_bits),
                "write_data": In(config.width),
                "read_data": Out(config.width),
            }
        )

    def elaborate(self, platform):
        """Build the memory."""
        m = Module()
        words = self.config.max_vector
        m.submodules.words = stored = memory.Memory(shape=self.config.width, depth=rows(words), init=[])
        write, read = stored.write_port(), stored.read_port(domain="comb")
        m.d.comb += [
            write.en.eq(self.write & (self.write_address < words)),
            write.addr.eq(self.write_address),
            write.data.eq(self.write_data),
            read.addr.eq(self.read_address),
            self.read_data.eq(read.data),
        ]
        return m
