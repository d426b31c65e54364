"""What a cube has to promise about its packed vectors and its links, whatever its nodes are."""

from types import SimpleNamespace

from amaranth.asserts import AnySeq
from amaranth.hdl import Assert, Cat, Cover, Module, Mux, Signal
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

from cubecast.rtl.common.cube import Cube

__all__ = ["CubeSpec"]

WIDTH = 3
LINK = wiring.Signature({"data": Out(WIDTH)})
PORTS = wiring.Signature(
    {
        "address": In(2),
        "given": In(WIDTH),
        "link_in": In(LINK).array(2),
        "link_out": Out(LINK).array(2),
        "told": Out(wiring.Signature({"valid": Out(1), "data": Out(WIDTH)})),
        "came": Out(2 * WIDTH),
        "place": Out(2),
    }
)


class Node(wiring.Component):
    """A node that sends what it is given over all links, and shows it, its address and what comes in."""

    def __init__(self, config):
        super().__init__(PORTS)

    def elaborate(self, platform):
        """Connect inputs and outputs."""
        m = Module()
        m.d.comb += [
            *(link.data.eq(self.given) for link in self.link_out),
            self.told.valid.eq(self.given[0]),
            self.told.data.eq(self.given),
            self.came.eq(Cat(link.data for link in self.link_in)),
            self.place.eq(self.address),
        ]
        return m


class CubeSpec(wiring.Component):
    """Item v of each vector is the port of node v, bit by bit, 0 while a stream is not valid; links join neighbours.

    Parameters
    ----------
    unit : class
        The cube; a broken one must be refuted.
    """

    def __init__(self, unit=Cube):
        self.unit = unit
        super().__init__({})

    def elaborate(self, platform):
        """Compare every item with what its node has."""
        m = Module()
        config = SimpleNamespace(dim=2, nodes=4)
        m.submodules.dut = dut = self.unit(Node, PORTS, config, probe=True)
        given = Signal(4 * WIDTH)
        m.d.comb += [given.eq(AnySeq(4 * WIDTH)), dut.given.eq(given)]
        words = [given.word_select(v, WIDTH) for v in range(4)]
        m.d.comb += Cover(Cat(words[v] == 2 * v + 1 for v in range(4)).all())
        for v, word in enumerate(words):
            m.d.comb += [
                Assert(dut.told_valid[v] == word[0]),
                Assert(dut.told_data.word_select(v, WIDTH) == Mux(word[0], word, 0)),
                Assert(dut.came.word_select(v, 2 * WIDTH) == Cat(words[v ^ 1], words[v ^ 2])),
                Assert(dut.place.word_select(v, 2) == v),
                *(Assert(getattr(dut, f"link_{j}_data").word_select(v, WIDTH) == word) for j in range(2)),
            ]
        return m
