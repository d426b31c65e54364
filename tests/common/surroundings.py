"""Surroundings of units of all routers."""

from tests.harness.surroundings import Surroundings

__all__ = ["ReportCollectorSurroundings"]


class ReportCollectorSurroundings(Surroundings):
    """What a report says is looked at while there is one."""

    proven = ("tests/common/test_formal_control_port.py::test_nothing_is_made_of_a_report_that_is_not_there",)

    def say(self, m, unit, counts):
        """Follow ``valid``."""
        m.d.comb += [getattr(counts, name).eq(unit.valid) for name in ("reason", "destination", "port", "lane")]
