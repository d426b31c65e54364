"""Both kinds of queue keep the order of words and count them, and broken ones are refuted."""

# amaranth: UnusedElaboratable=no
import pytest

from cubecast.golden.crosspoint.contract.units import QueueShape
from cubecast.rtl.crosspoint.block_queue import BlockQueue
from cubecast.rtl.crosspoint.queue import Queue
from cubecast.tb.harness.formal import prove
from tests.crosspoint.queue_spec import QueueSpec
from tests.harness.altered import Altered

LUT = QueueShape(bits=2, depth=4, most=1)
BLOCK = QueueShape(bits=2, depth=4, most=1, block=True)
AHEAD = QueueShape(bits=2, depth=4, most=1, memories="block")
BLOCK_AHEAD = QueueShape(bits=2, depth=4, most=1, block=True, memories="block")


class LosesWhenEmptied(Altered):
    """A word is lost that is pushed while the last one is popped."""

    unit = Queue

    def alter(self, m, inner):
        """Hide the push."""
        m.d.comb += inner.push.eq(self.push & ~(self.pop & (inner.level == 1)))
        return ("push",)


class RoomTooLong(Altered):
    """There is room for one word more than there is."""

    unit = Queue

    def alter(self, m, inner):
        """Count on."""
        m.d.comb += self.room.eq(inner.level <= self.config.most + 1)
        return ("room",)


class TooEarly(Altered):
    """A word is shown in the cycle after its push, before the RAM has been read."""

    unit = BlockQueue

    def alter(self, m, inner):
        """Look at all words, and keep the pop of one that is not there from the queue."""
        m.d.comb += [self.ne.eq(inner.level != 0), inner.pop.eq(self.pop & inner.ne)]
        return ("ne", "pop")


KINDS = pytest.mark.parametrize(
    "shape", [LUT, BLOCK, AHEAD, BLOCK_AHEAD], ids=["queue", "block_queue", "queue_ahead", "block_queue_ahead"]
)


@KINDS
def test_queue_is_proven(shape):
    """In order, none lost, none doubled, exact counts, for all time."""
    prove(QueueSpec(shape), depth=2)


@KINDS
def test_a_full_queue_is_reached(shape):
    """With pointers that have wrapped."""
    prove(QueueSpec(shape), mode="cover", depth=9)


@pytest.mark.parametrize(("shape", "broken"), [(LUT, LosesWhenEmptied), (LUT, RoomTooLong), (BLOCK, TooEarly)])
def test_broken_queue_is_refuted(shape, broken):
    """A lost word, a packet too many, a word before its time."""
    prove(QueueSpec(shape, broken), mode="bmc", depth=6, expect="fail")


@pytest.mark.parametrize("shape", [LUT, BLOCK], ids=["queue", "block_queue"])
def test_words_without_room_are_refuted(shape):
    """The contract of the user is needed."""
    prove(QueueSpec(shape, greedy=True), mode="bmc", depth=7, expect="fail")
