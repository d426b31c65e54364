"""The receive engine tells of what memory has acknowledged, and takes every word; broken ones are refuted."""

# amaranth: UnusedElaboratable=no
import dataclasses

import pytest

from cubecast.golden.node.contract.config import NodeConfig
from cubecast.golden.packet.contract.config import PacketConfig
from cubecast.rtl.node.receive_engine import ReceiveEngine
from cubecast.tb.harness.formal import prove
from tests.harness.altered import Altered
from tests.node.receive_engine_spec import ReceiveEngineSpec, StreamSpec

CONFIG = NodeConfig(router=PacketConfig(dim=2, max_words=6), tracked=2, buffers=2, buffer_bytes=32)


class TakesForWritten(Altered):
    """A word that memory takes counts as written."""

    unit = ReceiveEngine

    def alter(self, m, inner):
        """Acknowledge it in the next cycle."""
        m.d.sync += inner.written.eq(inner.writer.valid & self.writer.ready)
        return ("written",)


class WaitsForTheTracker(Altered):
    """A message that begins waits while the tracker is full."""

    unit = ReceiveEngine

    def alter(self, m, inner):
        """Hide that the matcher is ready."""
        m.d.comb += inner.first.ready.eq(self.first.ready & ~self.full)
        return ("first__ready",)


@pytest.mark.parametrize("dim", [2, pytest.param(3, marks=pytest.mark.soak)])
def test_receive_engine_is_proven(dim):
    """Nothing is said before it is so, and every word is taken: for all time."""
    prove(
        ReceiveEngineSpec(dataclasses.replace(CONFIG, router=PacketConfig(dim=dim, max_words=6))), depth=2, unroll=False
    )


@pytest.mark.soak
def test_the_statements_are_not_empty():
    """A message is marked as begun; a packet begins while words of the one before are written, or its FLAG."""
    prove(ReceiveEngineSpec(CONFIG, scripted=True), mode="cover", depth=45, timeout=1800)


@pytest.mark.soak
@pytest.mark.parametrize("broken", [TakesForWritten, WaitsForTheTracker])
def test_broken_receive_engine_is_refuted(broken):
    """A promise before its time, and a word that waits for ever."""
    prove(ReceiveEngineSpec(CONFIG, broken), mode="pdr", expect="fail")


def test_what_is_known_of_a_stream_is_kept():
    """Until its message ends."""
    prove(StreamSpec(CONFIG), depth=1)


def test_a_stream_that_goes_on_is_reached():
    """And a packet out of turn."""
    prove(StreamSpec(CONFIG), mode="cover", depth=2, freed="dut", unroll=True)


def test_a_message_that_goes_on_with_two_bytes_at_least_is_refuted():
    """It may with one."""
    prove(StreamSpec(CONFIG, least=2), mode="bmc", depth=2, freed="dut", expect="fail")
