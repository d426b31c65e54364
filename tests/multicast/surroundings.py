"""Surroundings of units of the multicast router."""

from amaranth.hdl import Cat

from tests.harness.surroundings import Surroundings

__all__ = ["ReporterSurroundings"]


class ReporterSurroundings(Surroundings):
    """A message has one type, with a count that such a message can have, and no scan is under way for a multicast.

    The place in the list is looked at in a scan, and the address there is the answer.
    """

    proven = ("tests/multicast/test_formal_mhu.py::test_words_on_offer_stay",)

    answers = ("list_word",)

    def widths(self):
        """Return that a scan is under way."""
        return {"scanning": 1}

    def say(self, m, unit, counts):
        """Compare types and count."""
        config, k = self.of.config, unit.k
        types = Cat(unit.multicast, unit.listed, unit.broadcast)
        lists = (k > config.max_dest) & (k <= config.max_list)
        m.d.comb += [
            counts.pointer.eq(self.inside.scanning),
            self.same.list_word.eq(self.inside.scanning),
            self.allowed.eq(((types & (types - 1)) == 0) & (~unit.listed | lists)),
            self.kept.eq(~self.inside.scanning | ~unit.multicast),
        ]
