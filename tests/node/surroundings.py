"""Surroundings of units of the node interface."""

from tests.harness.surroundings import Surroundings

__all__ = ["ReceiveEngineSurroundings", "WordWriterSurroundings"]


class ReceiveEngineSurroundings(Surroundings):
    """A packet that ended early ends with the word that says so."""

    proven = ("tests/packet/test_formal_node_input_port.py::test_what_ended_early_ends_for_the_node",)

    def say(self, m, unit, counts):
        """Look at both marks."""
        m.d.comb += self.allowed.eq(~(unit.eject.valid & unit.eject.error) | unit.eject.last)


class WordWriterSurroundings(Surroundings):
    """There is room for no more bytes than a packet has."""

    proven = ("tests/node/test_formal_receive_engine.py::test_room_for_a_packet_is_proven",)

    def say(self, m, unit, counts):
        """Compare them."""
        m.d.comb += self.allowed.eq(~unit.open | (unit.open_bytes <= self.of.config.packet_bytes))
