"""The reassembler keeps the words of each message, in order, and none waits for others; broken ones are refuted."""

# amaranth: UnusedElaboratable=no
import pytest
from amaranth.hdl import Signal

from cubecast.golden.adapter.contract.config import AdapterConfig
from cubecast.golden.crosspoint.contract.config import CrosspointConfig
from cubecast.rtl.adapter.reassembler import Reassembler
from cubecast.tb.harness.formal import prove
from tests.adapter.reassembler_spec import ReassemblerSpec
from tests.harness.altered import Altered


def config(count, runs=1):
    """Return the parameters of a reassembler with so many buffers of two words."""
    router = CrosspointConfig(dim=2, width=8, runs=runs, packet_limit=3)
    return AdapterConfig(router=router, reassemble=count, reassemble_words=2)


class MixesSources(Altered):
    """Two sources are taken for one."""

    unit = Reassembler

    def alter(self, m, inner):
        """Drop a bit of the source."""
        m.d.comb += inner.came.source.eq(self.came.source[1:] << 1)
        return ("came__source",)


class TakesTwice(Altered):
    """A word that is taken while the node stalls is taken again."""

    unit = Reassembler

    def alter(self, m, inner):
        """Say that it was not."""
        m.d.comb += self.came.ready.eq(inner.came.ready & self.receive.ready)
        return ("came__ready",)


class WaitsForTheRest(Altered):
    """A message waits until the one before has ended."""

    unit = Reassembler

    def alter(self, m, inner):
        """Hide words of other sources while a message is open."""
        begun, source = Signal(), Signal.like(self.came.source)
        m.d.comb += inner.came.valid.eq(self.came.valid & (~begun | (self.came.source == source)))
        m.d.comb += self.came.ready.eq(inner.came.ready & inner.came.valid)
        with m.If(self.came.valid & self.came.ready):
            m.d.sync += [begun.eq(~self.came.last), source.eq(self.came.source)]
        return ("came__valid", "came__ready")


def test_reassembler_is_proven():
    """One buffer: what leaves is what came, in frames, and no word waits for a later one, for all time."""
    prove(ReassemblerSpec(config(1)), mode="pdr")


def test_the_statements_are_not_empty():
    """A word waits for M + 1 cycles; a message ends while a word of another source is there."""
    prove(ReassemblerSpec(config(1)), mode="cover", depth=14)


@pytest.mark.soak
@pytest.mark.parametrize("runs", [1, 2])
def test_two_buffers_are_proven(runs):
    """The same; with two runs, paths tell messages apart too."""
    prove(ReassemblerSpec(config(2, runs)), mode="pdr", timeout=6000)


@pytest.mark.parametrize("broken", [MixesSources, TakesTwice, WaitsForTheRest])
def test_broken_reassembler_is_refuted(broken):
    """Words of another message, a word twice, and a message that waits for words that may never come."""
    prove(ReassemblerSpec(config(1), broken), mode="bmc", depth=12, expect="fail")
