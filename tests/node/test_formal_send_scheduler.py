"""The scheduler has one offer open for a destination, and completes what it offered; broken ones are refuted."""

# amaranth: UnusedElaboratable=no
import pytest

from cubecast.golden.node.contract.config import NodeConfig
from cubecast.golden.packet.contract.config import PacketConfig
from cubecast.rtl.node.send_scheduler import SendScheduler, State, Task
from cubecast.tb.harness.formal import FormalError, prove
from tests.common.bounds_spec import BoundsSpec
from tests.harness.altered import Altered
from tests.node.send_scheduler_spec import FirstMessageSpec, SendSchedulerSpec

CONFIG = NodeConfig(router=PacketConfig(dim=2, max_words=6))


class TakesOldAnswers(Altered):
    """An answer under another ticket counts too."""

    unit = SendScheduler

    def alter(self, m, inner):
        """Show the latest ticket."""
        latest = type(self.part.ticket).like(self.part.ticket)
        with m.If(self.part.valid):
            m.d.sync += latest.eq(self.part.ticket)
        m.d.comb += inner.answer.ticket.eq(latest)
        return ("answer__ticket",)


class TakesJointAnswers(Altered):
    """The answer to a broadcast counts for the message to that node."""

    unit = SendScheduler

    def alter(self, m, inner):
        """Hide that it is one."""
        return ("answer__b",)


class ForgetsDamage(Altered):
    """What is left of a damaged message may be overtaken by the next one."""

    unit = SendScheduler

    def alter(self, m, inner):
        """Hide that it is damaged."""
        return ("answer__damaged",)


class RepeatsTickets(Altered):
    """Two offers in a row have the same ticket."""

    unit = SendScheduler

    def alter(self, m, inner):
        """Hide the lowest bit."""
        m.d.comb += self.part.ticket.eq(inner.part.ticket & ~1)
        return ("part__ticket",)


class CompletesTheLast(SendScheduler):
    """Where a message could not be appended, FLAG is written of the one that it was to be appended to."""

    def _move(self, m):
        """Take that one in hand."""
        super()._move(m)
        with m.If(self._moves.breaks):
            m.d.sync += self._block.eq(self._hand)


class GivesUp(SendScheduler):
    """A message that was read ends as if memory had failed."""

    def _send(self, m):
        """Say so."""
        super()._send(m)
        with m.If((self._state == State.FETCH) & self._access.done):
            m.d.comb += self._finishes.eq(1)
            m.d.sync += self._e.doubt.eq(1)


class StartsAnew(SendScheduler):
    """A rest that has stopped goes on where it began."""

    def _work(self, m):
        """Keep that place."""
        super()._work(m)
        with m.If(self._task == Task.BACK):
            m.d.sync += self._e.offset.eq(self._e.offset)


class CountsFromBefore(SendScheduler):
    """An offer waits as if it had been made when the chain was last touched."""

    def _send(self, m):
        """Keep the time."""
        super()._send(m)
        with m.If(self._state == State.PART):
            m.d.comb += self._touch.en.eq(0)


@pytest.mark.parametrize("dim", [2, pytest.param(3, marks=pytest.mark.soak)])
def test_send_scheduler_is_proven(dim):
    """One offer at a time, the rest after an ACCEPT, one way while something is under way: for all time."""
    prove(SendSchedulerSpec(NodeConfig(router=PacketConfig(dim=dim, max_words=6))), depth=2, unroll=False)


def test_an_offer_is_reached():
    """After its block was added and read."""
    prove(SendSchedulerSpec(CONFIG), mode="cover", depth=10)


@pytest.mark.soak
@pytest.mark.parametrize("broken", [TakesOldAnswers, TakesJointAnswers, ForgetsDamage])
def test_broken_send_scheduler_is_refuted(broken):
    """An offer that ends too early, or goes another way."""
    prove(SendSchedulerSpec(CONFIG, broken), mode="bmc", depth=23, expect="fail", timeout=3600)


def test_a_ticket_that_comes_twice_is_refuted():
    """Soon after reset."""
    prove(SendSchedulerSpec(CONFIG, RepeatsTickets), mode="bmc", depth=9, expect="fail")


@pytest.mark.parametrize("broken", [CompletesTheLast, GivesUp, StartsAnew, CountsFromBefore])
def test_what_is_wrong_later_is_not_proven(broken):
    """The wrong block is completed, a message is not sent or sent twice, an offer ends too soon."""
    with pytest.raises(FormalError, match="induction of depth 2 is undecided"):
        prove(SendSchedulerSpec(CONFIG, broken), depth=2, unroll=False)


class TellsAnyStatus(Altered):
    """With each ticket the highest bit of the status changes."""

    unit = SendScheduler

    def alter(self, m, inner):
        """Change it."""
        m.d.comb += self.event.status.eq(inner.event.status ^ (inner.part.ticket[0] << 7))
        return ("event__status",)


STATUSES = {"never": {"event__status": 0xF8}}


def test_statuses_that_are_told_are_proven():
    """They are those of sends, below 8, whatever memory says of the parts before."""
    prove(BoundsSpec(SendScheduler(CONFIG), **STATUSES), mode="pdr")


def test_other_statuses_are_refuted():
    """One of 128 and more."""
    prove(BoundsSpec(TellsAnyStatus(CONFIG), **STATUSES), mode="pdr", expect="fail")


def test_a_chain_begins_with_its_first_message():
    """Nothing of that is passed over."""
    prove(FirstMessageSpec(CONFIG), depth=1)


def test_a_first_message_is_reached():
    """From some state."""
    prove(FirstMessageSpec(CONFIG), mode="cover", depth=2, freed="dut", unroll=True)


def test_a_chain_that_begins_with_its_second_message_is_refuted():
    """From some state."""
    prove(FirstMessageSpec(CONFIG, passed=1), mode="bmc", depth=2, freed="dut", expect="fail")
