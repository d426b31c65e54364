"""Surroundings of units of the board."""

from amaranth.hdl import Cat, Const

from cubecast.golden.board.contract.line import MARK, TEMPLATE
from tests.harness.surroundings import Surroundings

__all__ = ["ReporterSurroundings"]


class ReporterSurroundings(Surroundings):
    """A number is made decimal, and its digits are written, at a place where one stands."""

    proven = ("tests/board/test_formal_units.py::test_places_of_numbers_are_proven",)

    def widths(self):
        """Return the place in the line, and what is written there."""
        return {"place": len(Const(len(TEMPLATE) - 1)), "fsm_state": 2}

    def say(self, m, unit, counts):
        """Compare the place with those of all marks."""
        here = Cat(self.inside.place == place for place in self.places()).any()
        m.d.comb += self.kept.eq(~self.inside.fsm_state[1] | here)

    def places(self):
        """Return where numbers stand."""
        return [place for place, code in enumerate(TEMPLATE) if code >= MARK]
