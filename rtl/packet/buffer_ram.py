"""Buffer RAM: the words of the packets of one packet buffer unit or buffer slot."""

from amaranth import *
from amaranth.lib import memory, wiring
from amaranth.lib.wiring import In, Out
from amaranth.utils import bits_for

from cubecast.golden.packet.contract.config import PacketConfig

__all__ = ["BufferRam"]


class BufferRam(wiring.Component):
    """Keep one packet per row; one write port, one read port with a register.

    A word written in cycle t can be read from cycle t + 1 on; ``data`` has it in the cycle after ``read``. Nothing is
    reset, so that the memory and its output register can be a RAM of an FPGA; words never written read 0.

    Parameters
    ----------
    config : PacketConfig
        Parameters of the router; a row has 2**``word_bits`` words.
    count : int
        Number of rows, at least 1.

    Ports
    -----
    write, write_row, write_word, write_data : in, 1 and bits of 0..count-1 and word_bits and W + 1
        Write a word; the top bit marks the early end of a packet.
    read, read_row, read_word : in, 1 and bits of 0..count-1 and word_bits
        Load ``data`` with a word, as it was before a write in the same cycle.
    data : out, W + 1
        The word read last; a register.

    Raises
    ------
    ValueError
        ``count`` is not an integer of at least 1.

    Source: Buzzard 1988, section 5.4.1.
    """

    def __init__(self, config: PacketConfig, *, count: int):
        if type(count) is not int or count < 1:
            raise ValueError(f"count must be an integer of at least 1, not {count!r}")
        self.config = config
        self.count = count
        row = bits_for(count - 1)
        super().__init__(
            {
                "write": In(1),
                "write_row": In(row),
                "write_word": In(config.word_bits),
                "write_data": In(config.width + 1),
                "read": In(1),
                "read_row": In(row),
                "read_word": In(config.word_bits),
                "data": Out(config.width + 1),
            }
        )

    def elaborate(self, platform):
        """Build the memory, and the register behind it that synthesis takes into a block RAM."""
        m = Module()
        m.submodules.words = words = memory.Memory(
            shape=self.config.width + 1, depth=self.count << self.config.word_bits, init=[]
        )
        # A synchronous read port has no value before its first read, and this register has.
        write, read = words.write_port(), words.read_port(domain="comb")
        data = Signal(self.config.width + 1, reset_less=True)
        m.d.comb += [
            write.en.eq(self.write),
            write.addr.eq(Cat(self.write_word, self.write_row)),
            write.data.eq(self.write_data),
            read.addr.eq(Cat(self.read_word, self.read_row)),
            self.data.eq(data),
        ]
        with m.If(self.read):
            m.d.sync += data.eq(read.data)
        return m
