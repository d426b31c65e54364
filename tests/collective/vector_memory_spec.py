"""What the vector memory has to promise about what is written."""

from amaranth.hdl import Assert, Cat, Cover, Module

from cubecast.rtl.collective.vector_memory import VectorMemory
from tests.harness.inside import written
from tests.harness.spec import Spec, drive

__all__ = ["VectorMemorySpec"]


class VectorMemorySpec(Spec):
    """A word is written where it should be, unless that is beyond the vector: then none is.

    Parameters
    ----------
    config : CollectiveConfig
        Gives the number of words and their width.
    more : int
        Words beyond the vector that are written too; but for 0 it must be refuted.
    """

    unit = VectorMemory

    def __init__(self, config, more=0):
        self.words = config.max_vector + more
        super().__init__(config)

    def elaborate(self, platform):
        """Look at the port of the memory."""
        m = Module()
        dut = self.place(m)
        drive(m, dut)
        enable, address, data = written(self.fragment, "words")
        inside = dut.write_address < self.words
        m.d.comb += [
            Assert(enable == (dut.write & inside)),
            Assert(~enable | (Cat(address, data) == Cat(dut.write_address, dut.write_data))),
            Cover(enable & (address == self.words - 1)),
            Cover(dut.write & ~enable),
        ]
        return m
