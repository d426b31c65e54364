"""Lists of messages and of receives stay lists, in order, and broken ones are refuted."""

# amaranth: UnusedElaboratable=no
import pytest

from cubecast.golden.node.contract.config import NodeConfig
from cubecast.golden.packet.contract.config import PacketConfig
from cubecast.rtl.node.envelope_list import EnvelopeList
from cubecast.rtl.node.expected_queues import ExpectedQueues
from cubecast.tb.harness.formal import prove
from tests.harness.altered import Altered
from tests.node.envelope_list_spec import EnvelopeListSpec
from tests.node.expected_queues_spec import ExpectedQueuesSpec

CONFIG = NodeConfig(router=PacketConfig(dim=2), buffers=3, buffer_bytes=32, hash_bits=1)
LARGER = NodeConfig(router=PacketConfig(dim=3), buffers=4, buffer_bytes=32, hash_bits=1)


class TakesAnySource(Altered):
    """A search for one source finds a message of another."""

    unit = EnvelopeList

    def alter(self, m, inner):
        """Ask for any."""
        m.d.comb += inner.search.any_source.eq(1)
        return ("search__any_source",)


class ForgetsTheNewest(Altered):
    """A message that comes while a search is asked for is not kept."""

    unit = EnvelopeList

    def alter(self, m, inner):
        """Hide it."""
        m.d.comb += inner.append.eq(self.append & ~self.search.valid)
        return ("append",)


class LinksTheNext(Altered):
    """A block is linked to the one behind the one that was meant."""

    unit = ExpectedQueues

    def alter(self, m, inner):
        """Change what is written."""
        m.d.comb += self.writer.data.eq(inner.writer.data ^ 32)
        return ("writer__data",)


class TakesAnyType(Altered):
    """A receive for one type and source is found for all."""

    unit = ExpectedQueues

    def alter(self, m, inner):
        """Read that it wants any."""
        m.d.comb += inner.word.eq(self.word | 1 << 16)
        return ("word",)


class MissesErrors(Altered):
    """A write that failed counts."""

    unit = ExpectedQueues

    def alter(self, m, inner):
        """Hide the error."""
        m.d.comb += inner.write_error.eq(0)
        return ("write_error",)


# Of eight held messages there is no answer in five minutes.
@pytest.mark.parametrize(
    ("config", "held"), [(CONFIG, False), (CONFIG, True), pytest.param(LARGER, False, marks=pytest.mark.soak)]
)
def test_envelope_list_is_proven(config, held):
    """The oldest match is found, taken out alone, and nothing else is lost: for all time."""
    prove(EnvelopeListSpec(config, held=held), depth=2)


@pytest.mark.parametrize("held", [False, True])
def test_a_message_in_the_middle_is_found(held):
    """The second one of a full list."""
    prove(EnvelopeListSpec(CONFIG, held=held), mode="cover", depth=10 if held else 9)


@pytest.mark.parametrize("held", [False, True])
@pytest.mark.parametrize("broken", [TakesAnySource, ForgetsTheNewest])
def test_broken_envelope_list_is_refuted(broken, held):
    """A wrong message, and one that is lost."""
    prove(EnvelopeListSpec(CONFIG, broken, held=held), mode="bmc", depth=6, expect="fail")


@pytest.mark.soak
def test_expected_queues_are_proven():
    """The receive posted first is found, and lists stay lists: for all time."""
    prove(ExpectedQueuesSpec(CONFIG), depth=2, timeout=3600)


def test_a_receive_is_found():
    """After it was posted."""
    prove(ExpectedQueuesSpec(CONFIG), mode="cover", depth=18, unroll=True)


@pytest.mark.soak
@pytest.mark.parametrize("broken", [LinksTheNext, TakesAnyType, MissesErrors])
def test_broken_expected_queues_are_refuted(broken):
    """A list that loses its end, a receive that is found for a message of another type, one that is not posted."""
    prove(ExpectedQueuesSpec(CONFIG, broken), mode="bmc", depth=15, expect="fail", timeout=3600)
