"""What the data buffer has to promise."""

from amaranth.asserts import AnyConst, AnySeq
from amaranth.hdl import Assert, Assume, Cat, Cover, Module, Signal
from amaranth.lib import wiring
from amaranth.utils import ceil_log2

from cubecast.golden.multicast.contract.config import Config
from cubecast.rtl.multicast.data_buffer import DataBuffer
from tests.harness.inside import opened, register, row

__all__ = ["DataBufferSpec"]


class DataBufferSpec(wiring.Component):
    """The i-th word pushed since the last clear, any i < B, is read at address i of every port until the next clear.

    So nothing is dropped, doubled or changed. ``level`` is the number of words pushed, never more than B. With
    memories that are read ahead, the address is that of the cycle before, and the user keeps to the contract: nothing
    follows a word with ``last``, and ``error`` comes with it alone.

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
        dut = self.unit(self.config)
        m.submodules.dut = fragment = opened(dut)
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
        m.d.comb += [
            Assert(dut.level == count),
            Assert(count <= depth),
            Cover((count == depth) & dut.push),
        ]
        ahead = self.config.reads_ahead
        for j, (address, read) in enumerate(zip(dut.ahead if ahead else dut.pointer, dut.word, strict=True)):
            m.d.comb += address.eq(index if j == self.port else AnySeq(len(address)))
            pointer = address
            if ahead:
                pointer = self._inside(fragment, f"pointer_{j}")
            with m.If((pointer == index) & (index < count)):
                m.d.comb += Assert(Cat(read.data, read.last, read.error) == kept)
        if ahead:
            self._read_ahead(m, dut, fragment, index, count, kept)
        return m

    def _inside(self, fragment, name):
        """Return a register of the buffer."""
        return register(fragment, *(() if self.unit is DataBuffer else ("inner",)), name)

    def _read_ahead(self, m, dut, fragment, index, count, kept):
        """Assume what the contract asks for; make the statement inductive: where the word is, and what ends it."""
        width, ended = self.config.width, Signal()
        newest, held, last, error = (self._inside(fragment, name) for name in ("newest", "_last", "last", "error"))
        bits = max(1, ceil_log2(self.config.buffer_depth))
        stored = row(fragment, *(() if self.unit is DataBuffer else ("inner",)), "words", address=index[:bits])
        with m.If(dut.clear):
            m.d.sync += ended.eq(0)
        with m.Elif(dut.push & (count != self.config.buffer_depth)):
            m.d.sync += ended.eq(dut.last)
        m.d.comb += [Assume(~(dut.push & ended)), Assume(~dut.error | dut.last)]
        with m.If(index < count):
            m.d.comb += [
                Assert((newest == count - 1) & (last == ended) & (~error | last)),
                Assert(Cat(stored) == kept[:width]),
                Assert((kept[width:] == 0) | (index == newest)),
                Assert((index != newest) | (Cat(held, last, error) == kept)),
            ]
