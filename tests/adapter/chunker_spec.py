"""What the chunker has to promise about the kinds and words of chunks."""

from amaranth.hdl import Assert, Cover, Module, Value
from amaranth.lib import wiring

from cubecast.rtl.adapter.chunker import Chunker
from tests.harness.inside import freed, opened, register

__all__ = ["ChunkerSpec"]


class ChunkerSpec(wiring.Component):
    """A chunk for more than a node is serial where no packet can be for them, and has a packet's words at most.

    Packets have numbers in turn, and so have the two banks: those in bank 0 are even.

    Parameters
    ----------
    config : AdapterConfig
        Parameters of the node.
    packets : tuple of Kind
        Kinds of chunks that may be there and not serial.
    """

    def __init__(self, config, packets):
        self.config, self.packets = config, packets
        super().__init__({})

    def elaborate(self, platform):
        """Watch a chunker with free inputs."""
        m = Module()
        unit = Chunker(self.config)
        m.submodules.dut = fragment = opened(unit)
        freed(m, unit)
        chunk, count = unit.chunk, Value.cast(register(fragment, "count"))
        kinds = [Value.cast(chunk.kind) == kind for kind in self.packets]
        fits = chunk.serial
        for kind in kinds:
            fits = fits | kind
            m.d.comb += Cover(chunk.valid & ~chunk.serial & kind)
        most = self.config.router.packet_limit - 2
        m.d.comb += [Assert(~chunk.valid | fits), Assert(count <= most), Cover(count == most)]
        if self.config.ordinal_bits:
            shown = chunk.valid & (chunk.bank == 0)
            even = ~register(fragment, "ordinal_0")[0]
            in_turn = register(fragment, "ordinal")[0] == register(fragment, "bank")
            m.d.comb += [Assert(even & in_turn), Cover(shown & (chunk.ordinal == 2))]
        return m
