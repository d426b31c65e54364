"""Errors that are counted stay where they are at the end, a line has no bytes but characters, and wires lead right."""

# amaranth: UnusedElaboratable=no
import pytest

from cubecast.rtl.board.reporter import Reporter
from cubecast.tb.harness.formal import prove
from tests.board.board_network_spec import BoardNetworkSpec
from tests.board.corners import CORNERS
from tests.board.surroundings import ReporterSurroundings
from tests.board.tally_spec import TallySpec
from tests.common.bounds_spec import BoundsSpec
from tests.harness.surroundings import KeptSpec


class Fewer(ReporterSurroundings):
    """The first number is none."""

    def places(self):
        """Leave it out."""
        return super().places()[1:]


@pytest.mark.parametrize("name", CORNERS)
def test_errors_are_proven(name):
    """By what the register of their sum can hold, and one for what is lost."""
    prove(TallySpec(CORNERS[name], 1 << (2 * CORNERS[name].nodes).bit_length()), depth=1)


def test_errors_are_reached():
    """As many as can come in a cycle, and one for what is lost."""
    prove(TallySpec(CORNERS["default"], 2 * CORNERS["default"].nodes), mode="cover", depth=5)


def test_a_smaller_sum_is_refuted():
    """A wrong packet and a report of each node may come in a cycle."""
    config = CORNERS["default"]
    prove(TallySpec(config, 2 * config.nodes - 1), mode="bmc", depth=5, expect="fail")


def test_bytes_are_proven():
    """Whatever numbers a line has."""
    prove(BoundsSpec(Reporter(CORNERS["default"]), never={"o__data": 0x80}), mode="pdr")


def test_places_of_numbers_are_proven():
    """Where a number is made decimal, one stands."""
    prove(KeptSpec(CORNERS["default"], Reporter, stated=ReporterSurroundings), mode="pdr")


def test_fewer_places_are_refuted():
    """A number stands at each."""
    prove(KeptSpec(CORNERS["default"], Reporter, stated=Fewer), mode="bmc", depth=12, expect="fail")


def test_fewer_bits_are_refuted():
    """Letters have seven."""
    prove(BoundsSpec(Reporter(CORNERS["default"]), never={"o__data": 0x40}), mode="bmc", depth=10, expect="fail")


@pytest.mark.parametrize("name", CORNERS)
def test_wires_are_proven(name):
    """Of the board network: counts, numbers, settings, lights."""
    prove(BoardNetworkSpec(CORNERS[name]), depth=2)


def test_numbers_are_reached():
    """An odd one, and an error."""
    prove(BoardNetworkSpec(CORNERS["default"]), mode="cover", depth=2)


def test_packets_for_words_are_refuted():
    """Two numbers that have the same bits."""
    prove(BoardNetworkSpec(CORNERS["default"], swapped=True), mode="bmc", depth=1, expect="fail")
