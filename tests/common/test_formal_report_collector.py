"""Every report passes within a bound, and broken collectors are refuted."""

# amaranth: UnusedElaboratable=no
import pytest
from amaranth.hdl import Mux

from cubecast.golden.common.contract.units import Control
from cubecast.rtl.common.report_collector import ReportCollector
from cubecast.tb.harness.formal import prove
from tests.common.report_collector_spec import ReportCollectorSpec
from tests.harness.altered import Altered

CONFIG = Control(dim=2, fault_tolerant=True, log_depth=1, lanes=2, units=5)
"""Five units."""

LARGER = Control(dim=3, fault_tolerant=True, log_depth=1, lanes=3, units=10)


class InjectionComesLast(Altered):
    """The injection unit's report is seen only when there is no other."""

    unit = ReportCollector

    def alter(self, m, inner):
        """Hide it."""
        others = [i.valid for i in self.i[:-1]]
        m.d.comb += inner.i[-1].valid.eq(self.i[-1].valid & ~sum(others[1:], others[0]).bool())
        return (f"i__{len(self.i) - 1}__valid",)


class LosesOne(Altered):
    """Two reports with the same destination pass as one."""

    unit = ReportCollector

    def alter(self, m, inner):
        """Take the second with the first."""
        one, two = self.i[:2]
        same = one.valid & two.valid & (one.destination == two.destination)
        m.d.comb += two.ready.eq(inner.i[1].ready | same & inner.i[0].ready)
        return ("i__1__ready",)


class WrongLane(Altered):
    """The lane is that of the neighbouring unit when the destination is 0."""

    unit = ReportCollector

    def alter(self, m, inner):
        """Change the lane."""
        m.d.comb += self.lane.eq(Mux(inner.destination == 0, inner.lane ^ 1, inner.lane))
        return ("lane",)


@pytest.mark.parametrize("config", [CONFIG, pytest.param(LARGER, marks=pytest.mark.soak)])
def test_report_collector_is_proven(config):
    """One report per cycle, unchanged, each within U cycles, for all time."""
    prove(ReportCollectorSpec(config), depth=2)


def test_the_bound_is_reached():
    """No smaller bound would hold."""
    prove(ReportCollectorSpec(CONFIG), mode="cover", depth=6)


@pytest.mark.parametrize("broken", [InjectionComesLast, LosesOne, WrongLane])
def test_broken_report_collector_is_refuted(broken):
    """A starved, lost or mislabelled report is found."""
    prove(ReportCollectorSpec(CONFIG, broken), mode="bmc", depth=7, expect="fail")
