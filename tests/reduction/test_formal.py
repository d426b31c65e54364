"""The join unit neither loses, mixes nor doubles words, and gives its neighbours the flags they need."""

# amaranth: UnusedElaboratable=no

import pytest
from amaranth.hdl import Signal

from cubecast.golden.crosspoint.contract.config import CrosspointConfig
from cubecast.golden.reduction.contract.config import ReductionConfig
from cubecast.rtl.reduction.down import Down
from cubecast.rtl.reduction.join import Join
from cubecast.tb.harness.formal import prove
from tests.harness.altered import Altered
from tests.reduction.down_spec import DownSpec
from tests.reduction.join_spec import JoinSpec
from tests.reduction.room_spec import Generous, QueueRoomSpec


def config(*, register=False, depth=4, kind=ReductionConfig, **links):
    """Return a small node."""
    return kind(
        router=CrosspointConfig(dim=2, width=8, depth=8, packet_limit=1, eject_depth=8, counters=0, **links),
        reduce_depth=depth,
        reduce_register=register,
    )


NODE = config()
NODES = {
    "wires": {},
    "register": {"register": True},
    "far": {"register": True, "depth": 8, "link_regs": 1},
    "uneven": {"depth": 4, "output_register": True},
}
"""Name to parameters: f, g and x are 0, 0, 0; 0, 0, 1; 1, 1, 1; 1, 0, 0."""


class SendsTwice(Altered):
    """A child that took a word while the others wait is offered it again."""

    unit = Down

    def alter(self, m, inner):
        """Hide the take while the node waits."""
        m.d.comb += inner.taken_a.eq(self.taken_a & self.result.ready)
        return ("taken_a",)


class PopsEarly(Altered):
    """A word goes when both children have it."""

    unit = Down

    def alter(self, m, inner):
        """Say that the node takes everything when child a does."""
        m.d.comb += inner.result.ready.eq(self.result.ready | self.taken_a)
        return ("result__ready",)


class TakesB(Altered):
    """A word of b is popped when it is there, whether it was joined or not."""

    unit = Join

    def alter(self, m, inner):
        """Pop it."""
        m.d.comb += self.b.pop.eq(inner.b.pop | (self.b.ne & self.o.taken & inner.has_b))
        return ("b__pop",)


class Overwrites(Altered):
    """The second stage takes a word for gone that waits."""

    unit = Join

    def alter(self, m, inner):
        """Take it in any cycle in which b has a word."""
        m.d.comb += inner.o.taken.eq(self.o.taken | (self.b.ne & self.o.valid))
        return ("o__taken",)


class ForgetsAnError(Altered):
    """What is made of a word of a with ``error`` has none."""

    unit = Join

    def alter(self, m, inner):
        """Hide it."""
        m.d.comb += inner.a.error.eq(0)
        return ("a__error",)


class ForgetsTheLast(Altered):
    """The last word of a vector is as the others."""

    unit = Join

    def alter(self, m, inner):
        """Hide the mark."""
        m.d.comb += self.o.last.eq(0)
        return ("o__last",)


class ForgetsTheOperation(Altered):
    """What is made of a word of a has another operation."""

    unit = Join

    def alter(self, m, inner):
        """Hide it."""
        m.d.comb += inner.a.rop.eq(0)
        return ("a__rop",)


class TakesThemForLike(Altered):
    """Operations of the node and of b that differ do not count."""

    unit = Join

    def alter(self, m, inner):
        """Show the one of the node in both places."""
        m.d.comb += inner.b.rop.eq(self.own.rop)
        return ("b__rop",)


class StopsLate(Altered):
    """A stop counts from the next cycle on."""

    unit = Join

    def alter(self, m, inner):
        """Go on for one cycle."""
        before = Signal()
        m.d.sync += before.eq(self.running)
        m.d.comb += inner.running.eq(self.running | before)
        return ("running",)


class WaitsForAll(Altered):
    """A word of the node waits for one of b, whether there is a child or not."""

    unit = Join

    def alter(self, m, inner):
        """Hide it until then."""
        m.d.comb += inner.own.ne.eq(self.own.ne & self.b.ne)
        return ("own__ne",)


def test_down_is_proven():
    """Once to each, for all time."""
    prove(DownSpec(NODE), depth=2, unroll=False)


def test_a_word_that_goes_in_parts_is_reached():
    """Child b has it before child a and the node."""
    prove(DownSpec(NODE), mode="cover", depth=5)


@pytest.mark.parametrize("broken", [SendsTwice, PopsEarly])
def test_broken_down_is_refuted(broken):
    """A second copy, none at all."""
    prove(DownSpec(NODE, broken), mode="bmc", depth=5, expect="fail")


def test_join_is_proven():
    """The k-th words, without delay, in every configuration, whenever it stops, for all time."""
    prove(JoinSpec(NODE), depth=2, unroll=False)


def test_a_join_at_full_rate_is_reached():
    """All operands are popped in the cycle in which a word leaves."""
    prove(JoinSpec(NODE), mode="cover", depth=9)


@pytest.mark.parametrize(
    "broken",
    [
        *(TakesB, Overwrites, ForgetsAnError, ForgetsTheLast),
        *(ForgetsTheOperation, TakesThemForLike, StopsLate, WaitsForAll),
    ],
)
def test_broken_join_is_refuted(broken):
    """A word that is lost, words that do not belong together, marks that are lost, a late stop, a stall."""
    prove(JoinSpec(NODE, broken), mode="bmc", depth=7, expect="fail")


@pytest.mark.parametrize("name", NODES)
def test_room_is_proven(name):
    """No queue is ever too full, for all time."""
    prove(QueueRoomSpec(config(**NODES[name])), depth=2, unroll=False)


def test_full_queues_are_reached():
    """All three queues behind links at once."""
    prove(QueueRoomSpec(config(**NODES["register"])), mode="cover", depth=16)


@pytest.mark.parametrize("name", NODES)
def test_a_flag_that_is_too_generous_is_refuted(name):
    """One word of room too many."""
    prove(QueueRoomSpec(config(kind=Generous, **NODES[name])), mode="bmc", depth=18, expect="fail")
