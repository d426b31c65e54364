"""Surroundings of units of the node interface."""

from tests.harness.surroundings import Surroundings

__all__ = ["WordWriterSurroundings"]


class WordWriterSurroundings(Surroundings):
    """There is room for no more bytes than a packet has."""

    proven = ("tests/node/test_formal_receive_engine.py::test_room_for_a_packet_is_proven",)

    def say(self, m, unit, counts):
        """Compare them."""
        m.d.comb += self.allowed.eq(~unit.open | (unit.open_bytes <= self.of.config.packet_bytes))
