"""Queue, tracker, pool and store of replies keep what they are given, and broken ones are refuted."""

# amaranth: UnusedElaboratable=no
import dataclasses

import pytest

from cubecast.golden.node.contract.config import NodeConfig
from cubecast.golden.node.contract.packet import Op
from cubecast.golden.packet.contract.config import PacketConfig
from cubecast.rtl.node.arrival_tracker import ArrivalTracker
from cubecast.rtl.node.buffer_pool import BufferPool
from cubecast.rtl.node.instruction_queue import InstructionQueue
from cubecast.rtl.node.reply_store import ReplyStore
from cubecast.tb.harness.formal import prove
from tests.harness.altered import Altered
from tests.node.arrival_tracker_spec import ArrivalTrackerSpec
from tests.node.buffer_pool_spec import BufferPoolSpec
from tests.node.instruction_queue_spec import InstructionQueueSpec
from tests.node.reply_store_spec import ReplyStoreSpec

CONFIG = NodeConfig(router=PacketConfig(dim=2), instructions=3, tracked=2, buffers=3, buffer_bytes=96)
THREE = dataclasses.replace(CONFIG, router=PacketConfig(dim=3))


class AlwaysReady(Altered):
    """A doorbell that finds the queue full is lost."""

    unit = InstructionQueue

    def alter(self, m, inner):
        """Be ready."""
        m.d.comb += self.doorbell.ready.eq(1)
        return ("doorbell__ready",)


class ReadsBytes(Altered):
    """Of a read the first byte is compared only."""

    unit = ArrivalTracker

    def alter(self, m, inner):
        """Hide the size."""
        return ("watch__size",)


class MovesFirst(Altered):
    """A message that is complete is still tracked when it moved in the same cycle."""

    unit = ArrivalTracker

    def alter(self, m, inner):
        """Hide the end."""
        m.d.comb += inner.close.eq(self.close & ~self.move)
        return ("close",)


class LosesAPut(Altered):
    """A buffer that comes back in the cycle in which another is taken is lost."""

    unit = BufferPool

    def alter(self, m, inner):
        """Hide the put."""
        m.d.comb += inner.put.eq(self.put & ~self.take)
        return ("put",)


class DividesShort(Altered):
    """An address behind the pool is taken for one inside."""

    unit = BufferPool

    def alter(self, m, inner):
        """Cut it off."""
        m.d.comb += inner.release.address.eq(self.base + (self.release.address - self.base)[:10])
        return ("release__address",)


class LosesAReply(Altered):
    """What is put in the cycle in which the sender is ready is lost."""

    unit = ReplyStore

    def alter(self, m, inner):
        """Hide the put."""
        m.d.comb += inner.put.valid.eq(self.put.valid & ~self.o.ready)
        return ("put__valid",)


class RewindsTwice(Altered):
    """A REWIND stays when it is taken."""

    unit = ReplyStore

    def alter(self, m, inner):
        """Hide that it is taken."""
        m.d.comb += inner.o.ready.eq(self.o.ready & (inner.o.op != Op.REWIND))
        return ("o__ready",)


SPECS = {
    InstructionQueueSpec: ([AlwaysReady], 6),
    ArrivalTrackerSpec: ([ReadsBytes, MovesFirst], 5),
    BufferPoolSpec: ([LosesAPut, DividesShort], 8),
    ReplyStoreSpec: ([LosesAReply, RewindsTwice], 8),
}
"""Each specification: the designs that it must refute, and within how many cycles."""

BROKEN = [(spec, broken, depth) for spec, (designs, depth) in SPECS.items() for broken in designs]


@pytest.mark.core
@pytest.mark.parametrize("config", [CONFIG, pytest.param(THREE, marks=pytest.mark.soak)])
@pytest.mark.parametrize("spec", SPECS)
def test_unit_is_proven(spec, config):
    """Nothing lost or doubled, nothing early that is not: for all time."""
    prove(spec(config), depth=2, arrays=spec is ReplyStoreSpec)


@pytest.mark.core
@pytest.mark.parametrize("spec", SPECS)
def test_the_statements_are_not_empty(spec):
    """A queue that wraps, an early read of two messages, a release and a loan in one cycle, the longest wait."""
    prove(spec(CONFIG), mode="cover", depth=18, unroll=spec is ReplyStoreSpec)


@pytest.mark.parametrize(("spec", "broken", "depth"), BROKEN)
def test_broken_unit_is_refuted(spec, broken, depth):
    """Each is found within a few cycles."""
    prove(spec(CONFIG, broken), mode="bmc", depth=depth, expect="fail")
