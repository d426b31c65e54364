"""A packet router among neighbours that do what they like, for its first cycles; broken ones are refuted."""

# amaranth: UnusedElaboratable=no
import pytest

from cubecast.golden.packet.contract.config import PacketConfig
from cubecast.rtl.packet.router import PacketRouter
from cubecast.tb.harness.formal import prove
from tests.common.stands import Stands
from tests.harness.altered import Altered
from tests.packet.router_spec import PacketRouterSpec

CONFIG = PacketConfig(dim=2, width=6, max_words=2, rows=2, fifo_depth=5, log_depth=0, counters=0, fault_tolerant=False)

BOUND = 18
"""Cycles in which a word leaves that comes by the fourth, if nothing outside makes its packet wait."""


class ChangesWords(Altered):
    """What leaves in dimension 0 has a bit changed."""

    unit = PacketRouter

    def alter(self, m, inner):
        """Change it."""
        m.d.comb += self.link_out[0].data.eq(inner.link_out[0].data ^ 1)
        return ("link_out__0__data",)


class SaysContrary(Altered):
    """What leaves in dimension 0 is contrary, where no lower dimension is left to cross."""

    unit = PacketRouter

    def alter(self, m, inner):
        """Set the bit."""
        m.d.comb += self.link_out[0].data.eq(inner.link_out[0].data | (1 << len(inner.link_out[0].data) - 1))
        return ("link_out__0__data",)


class StandsStill(Stands):
    """Packets wait for others."""

    unit = PacketRouter


@pytest.mark.soak
def test_packet_router_keeps_its_packets():
    """None doubled, changed, sent astray or dropped, heads right, and the books balance: for the first 11 cycles."""
    prove(PacketRouterSpec(CONFIG), mode="bmc", depth=11, timeout=3600)


def test_a_packet_passes():
    """The word that is followed leaves."""
    prove(PacketRouterSpec(CONFIG), mode="cover", depth=11, unroll=False)


@pytest.mark.soak
@pytest.mark.parametrize("unit", [ChangesWords, SaysContrary])
def test_broken_packet_router_is_refuted(unit):
    """A word that never came; a head that the receiver takes for malformed."""
    prove(PacketRouterSpec(CONFIG, unit), mode="bmc", depth=11, expect="fail", timeout=3600)


@pytest.mark.soak
def test_packets_wait_for_a_bounded_time():
    """A word leaves within 18 cycles, whatever comes before, beside and behind it: in the first 24 cycles."""
    prove(PacketRouterSpec(CONFIG, bound=BOUND), mode="bmc", depth=24, timeout=3600)


@pytest.mark.soak
def test_a_packet_waits_for_another():
    """A word leaves nine cycles after it came, or more."""
    prove(PacketRouterSpec(CONFIG, bound=BOUND), mode="cover", depth=13, unroll=True)


@pytest.mark.soak
def test_a_packet_that_waits_for_ever_is_refuted():
    """It would leave if others came."""
    prove(
        PacketRouterSpec(CONFIG, StandsStill, bound=BOUND),
        mode="bmc",
        depth=24,
        expect="fail",
        timeout=3600,
        unroll=True,
    )
