"""A wait is over at its limit, whatever that is, and registers that see it elsewhere are refuted."""

# amaranth: UnusedElaboratable=no
import pytest

from cubecast.golden.crosspoint.contract.config import CrosspointConfig
from cubecast.golden.reduction.contract.config import ReductionConfig
from cubecast.golden.reduction.contract.registers import TICK
from cubecast.rtl.reduction.registers import Registers
from cubecast.tb.harness.formal import FormalError, prove
from tests.harness.altered import Altered
from tests.reduction.late_spec import LateSpec

CONFIG = ReductionConfig(router=CrosspointConfig(dim=2, counters=0))


class ForgetsOne(Altered):
    """A wait for child b alone is none."""

    unit = Registers

    def alter(self, m, inner):
        """Hide it."""
        m.d.comb += inner.late_wait.eq(self.late_wait & 3)
        return ("late_wait",)


class CutsTheLimit(Registers):
    """Of TIMEOUT four bits count."""

    def _late(self, m, ticks, restarts):
        """Forget the others."""
        return super()._late(m, ticks[:4], restarts)


class CountsOn(Registers):
    """A new limit may be behind the timer."""

    def _late(self, m, ticks, restarts):
        """Let the timer run on."""
        return super()._late(m, ticks, 0)


def test_late_words_are_proven():
    """From any state in which the timer is before its limit."""
    prove(LateSpec(CONFIG), depth=1)


def test_the_shortest_limit_is_reached():
    """LATE is set, which takes all of its cycles."""
    prove(LateSpec(CONFIG), mode="cover", depth=TICK + 2, unroll=True)


def test_broken_registers_are_refuted():
    """Soon after reset; what is wrong beyond 2^12 cycles is at least not proven."""
    for broken in (ForgetsOne, CountsOn):
        prove(LateSpec(CONFIG, broken), mode="bmc", depth=4, expect="fail")
    with pytest.raises(FormalError, match="induction of depth 1 is undecided"):
        prove(LateSpec(CONFIG, CutsTheLimit), depth=1)
