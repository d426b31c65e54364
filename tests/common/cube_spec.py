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


def ports(dim):
    """Return the ports of a node in a cube of a dimension."""
    return wiring.Signature(
        {
            "address": In(dim),
            "given": In(WIDTH),
            "link_in": In(LINK).array(dim),
            "link_out": Out(LINK).array(dim),
            "told": Out(wiring.Signature({"valid": Out(1), "data": Out(WIDTH)})),
            "came": Out(dim * WIDTH),
            "place": Out(dim),
        }
    )


class Node(wiring.Component):
    """A node that sends what it is given over all links, and shows it, its address and what comes in."""

    def __init__(self, config):
        super().__init__(ports(config.dim))

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
    dim : int
        Its dimension n, 2 or 3.
    """

    def __init__(self, unit=Cube, dim=2):
        self.unit, self.dim = unit, dim
        super().__init__({})

    def elaborate(self, platform):
        """Compare every item with what its node has."""
        m = Module()
        n, nodes = self.dim, 1 << self.dim
        config = SimpleNamespace(dim=n, nodes=nodes)
        m.submodules.dut = dut = self.unit(Node, ports(n), config, probe=True)
        given = Signal(nodes * WIDTH)
        m.d.comb += [given.eq(AnySeq(nodes * WIDTH)), dut.given.eq(given)]
        words = [given.word_select(v, WIDTH) for v in range(nodes)]
        m.d.comb += Cover(Cat(word == v ^ 5 for v, word in enumerate(words)).all())
        for v, word in enumerate(words):
            m.d.comb += [
                Assert(dut.told_valid[v] == word[0]),
                Assert(dut.told_data.word_select(v, WIDTH) == Mux(word[0], word, 0)),
                Assert(dut.came.word_select(v, n * WIDTH) == Cat(words[v ^ 1 << j] for j in range(n))),
                Assert(dut.place.word_select(v, n) == v),
                *(Assert(getattr(dut, f"link_{j}_data").word_select(v, WIDTH) == word) for j in range(n)),
            ]
        return m
