"""The ejection hands whole packets to the node, one after the other, and broken ones are refuted."""

# amaranth: UnusedElaboratable=no
import pytest

from cubecast.golden.crosspoint.contract.config import CrosspointConfig
from cubecast.rtl.crosspoint.ejection import Ejection
from cubecast.tb.harness.formal import prove
from tests.crosspoint.ejection_spec import EjectionSpec
from tests.harness.altered import Altered

CONFIG = CrosspointConfig(dim=3, width=8)


class LeavesAtAGap(Altered):
    """A packet that pauses loses the port to another one."""

    unit = Ejection

    def alter(self, m, inner):
        """End a packet of requester 0 while requester 1 has nothing."""
        m.d.comb += inner.i[0].last.eq(self.i[0].last | ~self.i[1].ne)
        return ("i__0__last",)


class DropsWhenStalled(Altered):
    """A word is replaced while the node keeps it waiting."""

    unit = Ejection

    def alter(self, m, inner):
        """Take for granted that the node takes a last word."""
        m.d.comb += inner.eject.ready.eq(self.eject.ready | inner.eject.last)
        return ("eject__ready",)


class NeverTheSecond(Altered):
    """One link is not served while another has a word."""

    unit = Ejection

    def alter(self, m, inner):
        """Hide it."""
        m.d.comb += inner.i[1].ne.eq(self.i[1].ne & ~(self.i[0].ne & inner.eject.valid))
        return ("i__1__ne",)


def test_ejection_is_proven():
    """Each word once, in order, whole packets, no cycle lost, for all time."""
    prove(EjectionSpec(CONFIG), depth=2)


def test_a_kept_packet_is_reached():
    """All links wait for the end of a packet that the node keeps waiting."""
    prove(EjectionSpec(CONFIG), mode="cover", depth=6)


@pytest.mark.parametrize("broken", [LeavesAtAGap, DropsWhenStalled, NeverTheSecond])
def test_broken_ejection_is_refuted(broken):
    """Packets that mix, a word lost, a word that waits without need."""
    prove(EjectionSpec(CONFIG, broken), mode="bmc", depth=6, expect="fail")
