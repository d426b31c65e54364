"""The output of a link sends whole packets and reports the others once, and broken ones are refuted."""

# amaranth: UnusedElaboratable=no
import pytest
from amaranth.hdl import Mux

from cubecast.golden.crosspoint.contract.config import CrosspointConfig
from cubecast.golden.crosspoint.contract.units import Port
from cubecast.rtl.crosspoint.output import Output
from cubecast.tb.harness.formal import prove
from tests.crosspoint.output_spec import OutputSpec
from tests.harness.altered import Altered

PORT = Port(router=CrosspointConfig(dim=3, width=8), port=1)
"""Three requesters, one of them on its second run."""


class LeavesAtAGap(Altered):
    """A packet that pauses loses the link to another one."""

    unit = Output

    def alter(self, m, inner):
        """End a packet of requester 0 while requester 1 has nothing."""
        m.d.comb += inner.i[0].last.eq(self.i[0].last | ~self.i[1].ne)
        return ("i__0__last",)


class OneFlag(Altered):
    """Packets on their second run heed the flag of the others."""

    unit = Output

    def alter(self, m, inner):
        """Exchange the flags."""
        m.d.comb += inner.ready_up.eq(self.ready)
        return ("ready_up",)


class GoesOnAfterACut(Altered):
    """A cut in a gap of a packet is not seen."""

    unit = Output

    def alter(self, m, inner):
        """Hide it while nobody has a word."""
        m.d.comb += inner.cut.eq(self.cut & (self.i[0].ne | self.i[1].ne | self.i[2].ne))
        return ("cut",)


class ReportsTwice(Altered):
    """A report that is taken comes again."""

    unit = Output

    def alter(self, m, inner):
        """Hide the taking."""
        m.d.comb += inner.report.ready.eq(self.report.ready & ~self.i[0].ne)
        return ("report__ready",)


class SendsTheOther(Altered):
    """Beside a word of requester 0 the data of requester 1 leaves."""

    unit = Output

    def alter(self, m, inner):
        """Show them."""
        m.d.comb += self.data.eq(Mux(inner.pop[0], self.i[1].data, inner.data))
        return ("data",)


class ReportsTheNeighbour(Altered):
    """A packet that is refused is reported as if it were for the node behind the link."""

    unit = Output

    def alter(self, m, inner):
        """Say so of every packet."""
        m.d.comb += self.report.destination.eq(self.address ^ (1 << PORT.port))
        return ("report__destination",)


class ReducesWithinPackets(Altered):
    """A word of a reduction goes into the gap of a packet whose requester pauses."""

    unit = Output

    def alter(self, m, inner):
        """Let it go where nothing else does."""
        m.d.comb += self.push_r.eq(inner.push_r | (self.reduce.request & self.ready_r & ~inner.pop.any()))
        m.d.comb += self.reduce.taken.eq(self.push_r)
        return ("push_r", "reduce__taken")


class HeedsTheOtherFlag(Altered):
    """A word of the second reduction goes by the flag of the first."""

    unit = Output

    def alter(self, m, inner):
        """Show it that flag."""
        m.d.comb += inner.ready_r_1.eq(self.ready_r)
        return ("ready_r_1",)


@pytest.mark.parametrize("config", [PORT, Port(router=PORT.router, port=0)], ids=["middle", "lowest"])
def test_output_is_proven(config):
    """Whole packets, one at a time, one report for each that is not whole, for all time."""
    prove(OutputSpec(config), depth=2, unroll=False)


def test_a_cut_packet_is_reached():
    """Its report is taken while the rest of it is still swallowed."""
    prove(OutputSpec(PORT), mode="cover", depth=6)


BROKEN = [LeavesAtAGap, OneFlag, GoesOnAfterACut, ReportsTwice, SendsTheOther, ReportsTheNeighbour]


@pytest.mark.parametrize("broken", BROKEN)
def test_broken_output_is_refuted(broken):
    """Packets that mix, a head without room, words after a cut, a second report, a wrong word, a wrong destination."""
    prove(OutputSpec(PORT, broken), mode="bmc", depth=6, expect="fail")


@pytest.mark.parametrize("contexts", [1, 2])
def test_output_with_reductions_is_proven(contexts):
    """Packets as without, and words of one reduction or of two between them, one at a time, for all time."""
    prove(OutputSpec(PORT, reduce=contexts), depth=2, unroll=False)


def test_a_word_of_a_reduction_beside_a_report_is_reached():
    """It does not wait for it."""
    prove(OutputSpec(PORT, reduce=1), mode="cover", depth=6)


def test_a_reduction_within_packets_is_refuted():
    """A word between those of a packet."""
    prove(OutputSpec(PORT, ReducesWithinPackets, reduce=1), mode="bmc", depth=4, expect="fail")


def test_a_reduction_by_the_flag_of_the_other_is_refuted():
    """A word without room."""
    prove(OutputSpec(PORT, HeedsTheOtherFlag, reduce=2), mode="bmc", depth=4, expect="fail")
