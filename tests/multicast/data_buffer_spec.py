"""What the data buffer has to promise."""

from amaranth.asserts import AnyConst, AnySeq
from amaranth.hdl import Assert, Assume, Cat, Cover, Module, Signal
from amaranth.lib import wiring

from cubecast.golden.multicast.contract.config import Config
from cubecast.rtl.multicast.data_buffer import DataBuffer

__all__ = ["DataBufferSpec"]


class DataBufferSpec(wiring.Component):
    """The i-th word pushed since the last clear, any i < B, is read at address i of every port until the next clear.

    So nothing is dropped, doubled or changed. ``level`` is the number of words pushed, never more than B.

    Parameters
    ----------
    config : Config
        Parameters of the router.
    port : int
        The read port that looks at address i all the time; the others look where they like.
    unit : class
        The design to be checked; a broken one must be refuted.
    """

    def __init__(self, config: Config, port: int, unit=DataBuffer):
        self.config, self.port, self.unit = config, port, unit
        super().__init__({})

    def elaborate(self, platform):
        """Keep the i-th word beside the buffer, and compare."""
        m = Module()
        m.submodules.dut = dut = self.unit(self.config)
        depth = self.config.buffer_depth
        index, count = Signal.like(dut.level), Signal(range(depth + 1))
        word = Cat(dut.data, dut.last, dut.error)
        kept = Signal.like(word)
        m.d.comb += [index.eq(AnyConst(len(index))), Assume(index < depth)]
        m.d.comb += [port.eq(AnySeq(1)) for port in (dut.clear, dut.push, dut.last, dut.error)]
        m.d.comb += dut.data.eq(AnySeq(len(dut.data)))
        with m.If(dut.clear):
            m.d.sync += count.eq(0)
        with m.Elif(dut.push & (count != depth)):
            m.d.sync += count.eq(count + 1)
            with m.If(count == index):
                m.d.sync += kept.eq(word)
        m.d.comb += [Assert(dut.level == count), Assert(count <= depth), Cover((count == depth) & dut.push)]
        for j, (pointer, read) in enumerate(zip(dut.pointer, dut.word, strict=True)):
            m.d.comb += pointer.eq(index if j == self.port else AnySeq(len(pointer)))
            with m.If((pointer == index) & (index < count)):
                m.d.comb += Assert(Cat(read.data, read.last, read.error) == kept)
        return m
