"""Both sequencers of the collectives send each piece for one credit, and each word once; broken ones are refuted."""

# amaranth: UnusedElaboratable=no
import pytest
from amaranth.hdl import Mux, Signal

from cubecast.golden.collective.contract.config import CollectiveConfig
from cubecast.golden.collective.contract.segment import Kind
from cubecast.golden.collective.contract.states import State
from cubecast.golden.multicast.contract.config import Config
from cubecast.rtl.collective.pass_sequencer import PassSequencer
from cubecast.rtl.collective.sequencer import CollectiveSequencer
from cubecast.tb.harness.formal import prove
from tests.collective.pass_sequencer_spec import PassSequencerSpec
from tests.collective.sequencer_spec import CollectiveSequencerSpec
from tests.harness.altered import Altered
from tests.harness.together import Together

ROUTER = {"width": 16, "max_data": 4}
CONFIG = CollectiveConfig(router=Config(dim=2, max_dest=2, **ROUTER), max_vector=3, max_relays=2)
THREE = CollectiveConfig(router=Config(dim=3, max_dest=3, **ROUTER), max_vector=3)


class Shallow(CollectiveConfig):
    """Nodes whose pass buffer has no place for the argument of a segment that is not full."""

    @property
    def pass_depth(self):
        """Entries of the buffer, one too few if a piece may end with such a segment."""
        return self.max_vector + self.max_vector // self.segment


SHALLOW = Shallow(router=CONFIG.router, max_vector=3, max_relays=2)


class AsksAgain(Altered):
    """The same is requested again while it is sent."""

    unit = CollectiveSequencer

    def alter(self, m, inner):
        """Hide the grant."""
        m.d.comb += inner.request.granted.eq(0)
        return ("request__granted",)


class WithoutCredit(Altered):
    """Pieces are sent to neighbours that did not ask."""

    unit = CollectiveSequencer

    def alter(self, m, inner):
        """Let all have asked."""
        m.d.comb += inner.gathered.credit.eq(~0)
        return ("gathered__credit",)


class CreditForEachSegment(CollectiveSequencer):
    """A credit is used for every segment of a piece."""

    def elaborate(self, platform):
        """Begin anew after each."""
        m = super().elaborate(platform)
        with m.If(self.request.done):
            m.d.sync += self.begun.eq(0)
        return m


class EndsEarly(Altered):
    """An operation ends while something is being passed on."""

    unit = CollectiveSequencer

    def alter(self, m, inner):
        """Let nothing be left."""
        m.d.comb += inner.pass_done.eq(1)
        return ("pass_done",)


class GathersTooLittle(Altered):
    """The own piece is sent before all pieces have come."""

    unit = CollectiveSequencer

    def alter(self, m, inner):
        """Let one more have come."""
        m.d.comb += inner.gathered.received.eq(self.gathered.received + 1)
        return ("gathered__received",)


class SendsAWordAgain(Altered):
    """A segment begins with the last word of the one before."""

    unit = CollectiveSequencer

    def alter(self, m, inner):
        """Begin earlier."""
        m.d.comb += self.offset.eq(inner.offset - inner.offset.any())
        return ("offset",)


class ForgetsTheRest(CollectiveSequencer):
    """The rest of a vector that was cut short is taken for the next one."""

    def elaborate(self, platform):
        """Never drop."""
        m = super().elaborate(platform)
        m.d.sync += self.dropping.eq(0)
        return m


class PassesAgain(Altered):
    """The next segment is requested while the one before is sent."""

    unit = PassSequencer

    def alter(self, m, inner):
        """Let everything be done at once."""
        m.d.comb += inner.request.done.eq(self.request.done | ~self.request.granted)
        return ("request__done",)


class PassesWithoutCredit(Altered):
    """A piece is passed to a relay that did not ask."""

    unit = PassSequencer

    def alter(self, m, inner):
        """Let all have asked."""
        m.d.comb += inner.passed.relay_credit.eq(~0)
        return ("passed__relay_credit",)


class UsesForEachSegment(Altered):
    """A credit is used for every segment that is passed on."""

    unit = PassSequencer

    def alter(self, m, inner):
        """Use one with every grant."""
        m.d.comb += self.passed.use_relay.eq(
            inner.passed.use_relay
            | Mux(self.request.granted & (inner.request.kind == Kind.RELAY), inner.request.targets, 0)
        )
        return ("passed__use_relay",)


class Overflows(Altered):
    """A ring's word is taken when the buffer is full."""

    unit = PassSequencer

    def alter(self, m, inner):
        """Let there be room."""
        full = self.store.level == self.config.pass_depth
        m.d.comb += inner.store.level.eq(Mux(full, self.config.pass_depth - 1, self.store.level))
        return ("store__level",)


class Pads(Altered):
    """A relayed segment takes one place more in the buffer."""

    unit = PassSequencer

    def alter(self, m, inner):
        """Push once more after its end, unless it is the last one of its piece."""
        ended = Signal()
        m.d.sync += ended.eq(inner.store.push & self.arrival.message_end & ~self.arrival.is_final & ~self.awaited.ring)
        m.d.comb += self.store.push.eq(inner.store.push | (ended & inner.passed.relay_open))
        return ("store__push",)


class MixesMessages(Altered):
    """What comes is passed on before the own message is sent."""

    unit = PassSequencer

    def alter(self, m, inner):
        """Change the sequencer's state."""
        m.d.comb += inner.state.eq(State.LAST)
        return ("state",)


class LastOfEachSegment(Altered):
    """The host sees the end of every segment as that of the message."""

    unit = PassSequencer

    def alter(self, m, inner):
        """Show it."""
        m.d.comb += self.vector_out.last.eq(self.offer.last)
        return ("vector_out__last",)


class EndsEachSegment(Altered):
    """Each segment of a relayed piece is kept as the final one."""

    unit = PassSequencer

    def alter(self, m, inner):
        """Say so."""
        m.d.comb += self.store.i_final.eq(inner.store.i_final | ~self.awaited.ring)
        return ("store__i_final",)


def test_collective_sequencer_is_proven():
    """Credits, requests, each word once, and the way back to IDLE, for all time."""
    prove(CollectiveSequencerSpec(CONFIG), depth=2, unroll=False)


def test_pass_sequencer_is_proven():
    """Credits, requests, and a ring's messages, for all time, if the units around keep what is proven of them."""
    prove(PassSequencerSpec(CONFIG), depth=2, unroll=False)


def test_the_statements_are_not_empty():
    """An operation ends; pieces of several segments are sent and passed on for a credit; a ring's words pass."""
    reached = (spec(CONFIG, purpose="reach") for spec in (CollectiveSequencerSpec, PassSequencerSpec))
    prove(Together(*reached), mode="cover", depth=16)


def test_broken_sequencers_are_refuted():
    """All planted bugs violate a claim."""
    planted = {
        CollectiveSequencerSpec: [AsksAgain, WithoutCredit, ForgetsTheRest],
        PassSequencerSpec: [PassesAgain, PassesWithoutCredit, LastOfEachSegment, EndsEachSegment],
    }
    refuted = [spec(CONFIG, unit, purpose="refute") for spec, units in planted.items() for unit in units]
    refuted += [PassSequencerSpec(SHALLOW, purpose="refute")]
    prove(Together(*refuted), mode="cover", depth=8)


@pytest.mark.soak
def test_sequencers_are_proven_for_three_dimensions():
    """The same with three pieces, whose places do not go down, and with three links."""
    prove(Together(CollectiveSequencerSpec(THREE), PassSequencerSpec(THREE)), depth=2)


@pytest.mark.soak
@pytest.mark.parametrize(
    ("spec", "broken"),
    [
        (CollectiveSequencerSpec, [GathersTooLittle, CreditForEachSegment, EndsEarly, SendsAWordAgain]),
        (PassSequencerSpec, [UsesForEachSegment, Overflows, Pads, MixesMessages]),
    ],
)
def test_more_broken_sequencers_are_refuted(spec, broken):
    """All planted bugs violate a claim."""
    refuted = [spec(CONFIG, unit, purpose="refute") for unit in broken]
    prove(Together(*refuted), mode="cover", depth=16)
