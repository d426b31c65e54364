"""The report queue keeps every report; broken ones are refuted."""

# amaranth: UnusedElaboratable=no
import pytest

from cubecast.golden.common.contract.units import Control
from cubecast.rtl.common.report_queue import ReportQueue
from cubecast.tb.harness.formal import prove
from tests.common.report_queue_spec import ReportQueueSpec
from tests.harness.altered import Altered

CONFIG = Control(dim=2, fault_tolerant=True, log_depth=1, lanes=2, units=5)


class NotWhileTaken(Altered):
    """A report is lost when the one before it is taken in the same cycle."""

    unit = ReportQueue

    def alter(self, m, inner):
        """Hide the put."""
        m.d.comb += inner.put.eq(self.put & ~(inner.o.valid & self.o.ready))
        return ("put",)


class TakenTwice(Altered):
    """A report is offered again when another is put in the cycle in which it is taken."""

    unit = ReportQueue

    def alter(self, m, inner):
        """Hide the ready."""
        m.d.comb += inner.o.ready.eq(self.o.ready & ~self.put)
        return ("o__ready",)


def test_report_queue_is_proven():
    """In order, unchanged, none lost and none twice, for all time."""
    prove(ReportQueueSpec(CONFIG), depth=2)


def test_the_second_report_is_reached():
    """Two are stored, and both come out."""
    prove(ReportQueueSpec(CONFIG), mode="cover", depth=5)


@pytest.mark.parametrize("broken", [NotWhileTaken, TakenTwice])
def test_broken_report_queue_is_refuted(broken):
    """A lost and a doubled report are found."""
    prove(ReportQueueSpec(CONFIG, broken), mode="bmc", depth=5, expect="fail")
