"""The packet buffer unit serves its oldest packet and keeps its reports, and broken ones are refuted."""

# amaranth: UnusedElaboratable=no
import pytest
from amaranth.hdl import Cat, Mux

from cubecast.golden.packet.contract.config import PacketConfig
from cubecast.rtl.packet.buffer_unit import PacketBufferUnit
from cubecast.tb.harness.formal import prove
from tests.harness.altered import Altered
from tests.packet.buffer_unit_spec import PacketBufferUnitSpec

CONFIG = PacketConfig(dim=2, width=6, rows=3, max_words=2)
THREE = PacketConfig(dim=3, width=7, rows=3, max_words=2)


class Withdraws(Altered):
    """While a packet is sent, nobody requests."""

    unit = PacketBufferUnit

    def alter(self, m, inner):
        """Hide the requests."""
        m.d.comb += self.request.eq(Mux(inner.o.valid & ~inner.closing, 0, inner.request))
        return ("request",)


class TakesTwo(Altered):
    """Two outputs that grant in the same cycle are both accepted."""

    unit = PacketBufferUnit

    def alter(self, m, inner):
        """Accept both."""
        both = self.grant & inner.request
        m.d.comb += self.accept.eq(Mux(inner.accept.any(), inner.accept | both, 0))
        return ("accept",)


class ReadyTooOften(Altered):
    """A packet is taken while a report waits."""

    unit = PacketBufferUnit

    def alter(self, m, inner):
        """Ask for rows only."""
        m.d.comb += self.ready.eq(Cat(inner.free_rows).any())
        return ("ready",)


@pytest.mark.parametrize("config", [CONFIG, pytest.param(THREE, marks=pytest.mark.soak)])
def test_packet_buffer_unit_is_proven(config):
    """The oldest request stays, rows are kept, reports fit: for all time."""
    prove(PacketBufferUnitSpec(config), depth=2, unroll=False)


def test_the_statements_are_not_empty():
    """A second report; a start in the cycle of an end and of an arrival."""
    prove(PacketBufferUnitSpec(CONFIG), mode="cover", depth=14)


@pytest.mark.parametrize("broken", [Withdraws, TakesTwo, ReadyTooOften])
def test_broken_packet_buffer_unit_is_refuted(broken):
    """A request that comes and goes, a packet promised twice, a report without a place."""
    prove(PacketBufferUnitSpec(CONFIG, broken), mode="bmc", depth=12, expect="fail")


def test_heads_without_ready_are_refuted():
    """The third report in a row has no place."""
    prove(PacketBufferUnitSpec(CONFIG, eager=True), mode="bmc", depth=8, expect="fail")
