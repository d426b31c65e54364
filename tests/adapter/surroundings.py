"""Surroundings of units of the adapter."""

from amaranth.hdl import Mux, Signal

from cubecast.golden.crosspoint.contract.word import Kind
from tests.harness.surroundings import Surroundings

__all__ = ["EmitterSurroundings"]


class EmitterSurroundings(Surroundings):
    """Of the words of a chunk those are looked at that go into its packet, which are behind its tag."""

    proven = ()
    answers = ("word",)

    def say(self, m, unit, counts):
        """Count the words of a packet that have gone."""
        order, inject = unit.order, unit.inject
        sent = Signal(range(self.of.config.router.packet_limit + 1))
        with m.If(order.valid & order.ready):
            m.d.sync += sent.eq(0)
        with m.Elif(inject.valid & inject.ready):
            m.d.sync += sent.eq(sent + 1)
        ahead = Mux(order.kind == Kind.BITMAP, 2, 1)
        own = order.valid & order.send & ~order.relay & (sent >= ahead)
        m.d.comb += [counts.word_row.eq(own), self.same.word.eq(own), counts.inject.data.eq(inject.valid)]
