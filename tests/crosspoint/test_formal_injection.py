"""Whatever a node does, what it injects is legal, bounded and ended; broken units are refuted."""

# amaranth: UnusedElaboratable=no
import pytest
from amaranth.hdl import Mux

from cubecast.golden.crosspoint.contract.config import CrosspointConfig
from cubecast.golden.crosspoint.contract.word import CrosspointReason, Kind
from cubecast.rtl.crosspoint.injection import Injection
from cubecast.tb.harness.formal import prove
from tests.crosspoint.injection_spec import InjectionSpec
from tests.harness.altered import Altered


def config(**parameters):
    """Return the parameters of a small router."""
    return CrosspointConfig(**{"dim": 2, "width": 8, "packet_limit": 3, "pause_limit": 3} | parameters)


CONFIGS = {
    "default": config(),
    "one_word": config(packet_limit=1, pause_limit=1),
    "one_run": config(runs=1),
    "unicast": config(multicast=False),
    # A bitmap fills a word, and may be for another block of nodes.
    "blocks": config(dim=4),
}
"""Name to parameters."""

LARGER = {"three": config(dim=3)}


class TurnsBack(Altered):
    """A packet may turn back on a link."""

    unit = Injection

    def alter(self, m, inner):
        """Hide the second run from the checks when it begins in the dimension in which the first ends."""
        same = (self.inject.r1 & self.inject.r2).any() & (self.inject.kind == 0)
        m.d.comb += inner.inject.r2.eq(Mux(same, 0, self.inject.r2))
        return ("inject__r2",)


class OneWordMore(Altered):
    """A packet may have one word more than the limit."""

    unit = Injection

    def __init__(self, parameters):
        super().__init__(parameters)
        self.inner = Injection(config(packet_limit=parameters.packet_limit + 1))

    def alter(self, m, inner):
        """Change nothing else."""
        return ()


class NeverPauses(Altered):
    """A packet that pauses is not ended."""

    unit = Injection

    def __init__(self, parameters):
        super().__init__(parameters)
        self.inner = Injection(config(pause_limit=0))

    def alter(self, m, inner):
        """Change nothing else."""
        return ()


class BodyElsewhere(Altered):
    """The second copy of a packet has only its head."""

    unit = Injection

    def alter(self, m, inner):
        """Keep one queue."""
        m.d.comb += self.push.eq(Mux(self.message_in, inner.push, inner.push & -inner.push))
        return ("push",)


class OwnBlock(Altered):
    """A bitmap for another block of nodes is taken for one of the own block."""

    unit = Injection

    def alter(self, m, inner):
        """Hide the dimensions above the bitmap's from the checks."""
        own = self.inject.r1[: inner.config.bitmap_dims]
        m.d.comb += inner.inject.r1.eq(Mux(self.inject.kind == Kind.BITMAP, own, self.inject.r1))
        return ("inject__r1",)


class SaysTooLong(Altered):
    """Every packet is reported as one that is too long."""

    unit = Injection

    def alter(self, m, inner):
        """Say so."""
        m.d.comb += self.report.reason.eq(CrosspointReason.DATA_TOO_LONG)
        return ("report__reason",)


@pytest.mark.parametrize("name", [*CONFIGS, pytest.param("three", marks=pytest.mark.soak)])
def test_injection_is_proven(name):
    """No illegal head, P words at most, an end for everything that was begun, for all time."""
    prove(InjectionSpec((CONFIGS | LARGER)[name]), depth=2, unroll=False)


def test_the_longest_packet_is_reached():
    """P words with the longest pauses, and a legal head after a packet that was ended."""
    prove(InjectionSpec(CONFIGS["default"]), mode="cover", depth=10)


@pytest.mark.parametrize("broken", [TurnsBack, OneWordMore, NeverPauses, BodyElsewhere, OwnBlock, SaysTooLong])
def test_broken_injection_is_refuted(broken):
    """A head that is illegal, or said to be, packets too long, without an end, in two queues, with a wrong reason."""
    name = "blocks" if broken is OwnBlock else "default"
    prove(InjectionSpec(CONFIGS[name], broken), mode="bmc", depth=8, expect="fail")
