"""What the chunker has to promise about the kinds and words of chunks."""

from amaranth.asserts import AnyConst
from amaranth.hdl import Assert, Assume, Cat, Cover, Module, Signal, Value
from amaranth.lib import wiring

from cubecast.golden.crosspoint.contract.word import Kind
from cubecast.rtl.adapter.chunker import Chunker
from tests.harness.inside import freed, opened, register

__all__ = ["ChunkerSpec"]


class ChunkerSpec(wiring.Component):
    """A chunk for more than a node is serial where no packet can be for them, and has words, a packet's at most.

    It names somebody else than the node, unless it is a list, and stays as it is until it is taken. Packets have
    numbers in turn, and so have the two banks: those in bank 0 are even.

    Assumed of the planner: it takes what is offered; and of the emitter: it frees a bank that was taken, once.

    Parameters
    ----------
    config : AdapterConfig
        Parameters of the node.
    packets : tuple of Kind
        Kinds of chunks that may be there and not serial.
    unit : class
        The design to be checked; a broken one must be refuted.
    """

    def __init__(self, config, packets, unit=Chunker):
        self.config, self.packets, self.unit = config, packets, unit
        super().__init__({})

    def elaborate(self, platform):
        """Watch a chunker with free inputs."""
        m = Module()
        unit = self.unit(self.config)
        m.submodules.dut = fragment = opened(unit)
        freed(m, unit)
        chunk, count = unit.chunk, Value.cast(register(fragment, "count"))
        kinds = [Value.cast(chunk.kind) == kind for kind in self.packets]
        fits = chunk.serial
        for kind in kinds:
            fits = fits | kind
            m.d.comb += Cover(chunk.valid & ~chunk.serial & kind)
        most = self.config.router.packet_limit - 2
        # A tag stands before them, and a bitmap before that.
        room = most + 1 - ((chunk.kind == Kind.BITMAP) & ~chunk.serial)
        m.d.comb += [Assert(~chunk.valid | fits), Assert(count <= most), Cover(count == most)]
        alone = (chunk.kind == Kind.UNICAST) | ~chunk.mask.any()
        kept, held = Cat(getattr(chunk, name) for name in chunk.signature.members), Signal(2)
        offered, earlier = Signal(), Signal.like(kept)
        m.d.sync += [offered.eq(chunk.valid & ~unit.chunk_taken), earlier.eq(kept)]
        m.d.sync += held.eq(held & ~(unit.freed << unit.freed_bank) | (unit.chunk_taken << chunk.bank))
        m.d.comb += [
            Assume(unit.address == AnyConst(len(unit.address))),
            Assume(~unit.chunk_taken | chunk.valid),
            Assume(~unit.freed | held.bit_select(unit.freed_bank, 1)),
            Assert(~chunk.valid | ((chunk.count != 0) & (chunk.count <= room))),
            Assert(~chunk.valid | ((chunk.kind <= Kind.BITMAP) & ~(chunk.serial & (chunk.kind == Kind.UNICAST)))),
            Assert(~chunk.valid | (chunk.kind == Kind.BITMAP) | ~alone | (chunk.node != unit.address)),
            Assert(~offered | (kept == earlier)),
        ]
        if self.config.ordinal_bits:
            shown = chunk.valid & (chunk.bank == 0)
            even = ~register(fragment, "ordinal_0")[0]
            in_turn = register(fragment, "ordinal")[0] == register(fragment, "bank")
            m.d.comb += [Assert(even & in_turn), Cover(shown & (chunk.ordinal == 2))]
        return m
