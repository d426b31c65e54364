"""The merge collector counts each piece once and keeps every credit; broken ones are refuted."""

# amaranth: UnusedElaboratable=no
import pytest
from amaranth.hdl import Mux

from cubecast.golden.collective.contract.config import CollectiveConfig
from cubecast.golden.collective.contract.states import State
from cubecast.golden.multicast.contract.config import Config
from cubecast.rtl.collective.merge_collector import MergeCollector
from cubecast.tb.harness.formal import prove
from tests.collective.merge_collector_spec import MergeCollectorSpec
from tests.harness.altered import Altered
from tests.harness.together import Together

CONFIG = CollectiveConfig(router=Config(dim=2, width=16, max_dest=2, max_data=4), max_vector=3)
THREE = CollectiveConfig(router=Config(dim=3, width=16, max_dest=3, max_data=4), max_vector=3)


class CountsSegments(Altered):
    """Every segment counts as a piece."""

    unit = MergeCollector

    def alter(self, m, inner):
        """Let every segment be final."""
        m.d.comb += inner.arrival.is_final.eq(1)
        return ("arrival__is_final",)


class OneTooMany(Altered):
    """A piece too many is taken."""

    unit = MergeCollector

    def alter(self, m, inner):
        """Expect one more."""
        m.d.comb += inner.awaited.expected.eq(self.awaited.expected + 1)
        return ("awaited__expected",)


class TakesLate(Altered):
    """A piece is taken while the own one is sent."""

    unit = MergeCollector

    def alter(self, m, inner):
        """Change the state."""
        m.d.comb += inner.state.eq(Mux(self.state == State.SEND, State.GATHER, self.state))
        m.d.comb += inner.awaited.expected.eq(Mux(self.state == State.SEND, ~0, self.awaited.expected))
        return ("state", "awaited__expected")


class WritesBeyond(Altered):
    """A word behind the vector is written."""

    unit = MergeCollector

    def alter(self, m, inner):
        """Let it seem longer."""
        m.d.comb += inner.length.eq(self.length + 1)
        return ("length",)


class DroppedStillWrites(Altered):
    """The rest of a message that was under way at an abort is written."""

    unit = MergeCollector

    def alter(self, m, inner):
        """Hide the abort."""
        m.d.comb += inner.command.cut_short.eq(0)
        return ("command__cut_short",)


class LosesANewCredit(MergeCollector):
    """A credit that comes in the cycle in which the one before is used is lost."""

    def elaborate(self, platform):
        """Let the use win."""
        m = super().elaborate(platform)
        for j, use in enumerate(self.gathered.use_credit):
            with m.If(use):
                m.d.sync += self.gathered.credit[j].eq(0)
        return m


class UsedTwice(Altered):
    """An end credit is not used up while another comes."""

    unit = MergeCollector

    def alter(self, m, inner):
        """Hide the use."""
        m.d.comb += inner.passed.use_end.eq(Mux(self.arrival.head, 0, self.passed.use_end))
        return ("passed__use_end",)


@pytest.mark.parametrize("config", [CONFIG, pytest.param(THREE, marks=pytest.mark.soak)])
def test_merge_collector_is_proven(config):
    """Pieces, credits and writes, for all time, if receiver and sequencer keep what is proven of them."""
    prove(MergeCollectorSpec(config), depth=2, unroll=False)


def test_the_statements_are_not_empty():
    """A piece counts whose words replace what is there; a credit comes in the cycle in which one is used."""
    prove(MergeCollectorSpec(CONFIG, purpose="reach"), mode="cover", depth=16)


def test_broken_collectors_are_refuted():
    """All planted bugs violate a claim."""
    broken = [CountsSegments, TakesLate, LosesANewCredit]
    prove(Together(*(MergeCollectorSpec(CONFIG, unit, purpose="refute") for unit in broken)), mode="cover", depth=6)


@pytest.mark.soak
def test_more_broken_collectors_are_refuted():
    """All planted bugs violate a claim."""
    broken = [OneTooMany, WritesBeyond, DroppedStillWrites, UsedTwice]
    refuted = [MergeCollectorSpec(CONFIG, unit, purpose="refute") for unit in broken]
    prove(Together(*refuted), mode="cover", depth=16)
