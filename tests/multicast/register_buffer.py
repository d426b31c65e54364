"""The data buffer as a row of registers, which invariants of a proof can speak of."""

from amaranth.hdl import Array, Cat, Module, Signal
from amaranth.lib import wiring

from cubecast.rtl.multicast.data_buffer import DataBuffer

__all__ = ["RegisterBuffer"]


class RegisterBuffer(wiring.Component):
    """A stand-in for the data buffer; both keep the promise of ``DataBufferSpec``, which leaves nothing open.

    Parameters
    ----------
    config : Config
        Parameters of the router.
    """

    def __init__(self, config):
        self.config = config
        self.kept = [Signal(config.width + 2, name=f"kept_{i}") for i in range(config.buffer_depth)]
        super().__init__(dict(DataBuffer(config).signature.members.items()))

    def elaborate(self, platform):
        """Write behind the last word, read anywhere."""
        m = Module()
        words = Array(self.kept)
        with m.If(self.clear):
            m.d.sync += self.level.eq(0)
        with m.Elif(self.push & (self.level != len(self.kept))):
            m.d.sync += self.level.eq(self.level + 1)
            m.d.sync += words[self.level].eq(Cat(self.data, self.last, self.error))
        for pointer, word in zip(self.pointer, self.word, strict=True):
            m.d.comb += Cat(word.data, word.last, word.error).eq(words[pointer])
        return m

    def ends(self, i):
        """Return whether the word at address i is the last of its message."""
        return self.kept[i][self.config.width]
