"""What chunker and receiver never say or count, and ones that do are refuted."""

# amaranth: UnusedElaboratable=no
import pytest

from cubecast.golden.adapter.contract.config import AdapterConfig
from cubecast.golden.crosspoint.contract.config import CrosspointConfig
from cubecast.golden.crosspoint.contract.word import Kind
from cubecast.rtl.adapter.chunker import Chunker
from cubecast.rtl.adapter.receiver import Receiver
from cubecast.tb.harness.formal import prove
from tests.adapter.chunker_spec import ChunkerSpec
from tests.common.bounds_spec import BoundsSpec


def config(relay_wait=3, **router):
    """Return the parameters of a small node."""
    parameters = {"dim": 2, "width": 8, "depth": 8, "packet_limit": 3} | router
    return AdapterConfig(router=CrosspointConfig(**parameters), fault_entries=1, relay_wait=relay_wait)


CONFIGS = {
    "default": config(),
    "longer": config(depth=16, packet_limit=5),
    "short": config(packet_limit=2),
    "plain": config(multicast=False),
    "numbered": config(width=12),
}


def packets(config):
    """Return the kinds of chunks that become packets as they are."""
    found = [Kind.UNICAST]
    found += [Kind.SUBCUBE] * config.router.multicast
    return (*found, *[Kind.BITMAP] * config.bitmaps)


class NamesItself(Chunker):
    """A chunk for one node is for the node itself."""

    def elaborate(self, platform):
        """Show its address."""
        m = super().elaborate(platform)
        m.d.comb += self.chunk.node.eq(self.address)
        return m


class ShowsTheNext(Chunker):
    """Whether a chunk is a message's final one changes while it is shown."""

    def elaborate(self, platform):
        """Show whether the word is that comes now."""
        m = super().elaborate(platform)
        m.d.comb += self.chunk.final.eq(self.send.last)
        return m


@pytest.mark.parametrize("name", CONFIGS)
def test_chunks_are_proven(name):
    """The planner need not look at what kind a chunk is of that would be left over."""
    prove(ChunkerSpec(CONFIGS[name], packets(CONFIGS[name])), mode="pdr")


def test_the_limits_of_chunks_are_reached():
    """Every kind that is allowed, the most words, and a second packet of bank 0."""
    for name in ("default", "numbered"):
        prove(ChunkerSpec(CONFIGS[name], packets(CONFIGS[name])), mode="cover", depth=16)


def test_chunks_of_a_kind_that_is_not_allowed_are_refuted():
    """A router with multicast gets subcubes as packets."""
    prove(ChunkerSpec(CONFIGS["short"], (Kind.UNICAST,)), mode="bmc", depth=10, expect="fail")


@pytest.mark.parametrize("broken", [NamesItself, ShowsTheNext])
def test_chunks_that_break_their_promise_are_refuted(broken):
    """For the node itself, and one that does not stay."""
    spec = ChunkerSpec(CONFIGS["default"], packets(CONFIGS["default"]), broken)
    prove(spec, mode="bmc", depth=10, expect="fail")


def test_the_wait_for_room_is_proven():
    """It is counted up to the limit, and no further."""
    prove(BoundsSpec(Receiver(CONFIGS["default"]), {"waited": 3}), depth=1)
    prove(BoundsSpec(Receiver(CONFIGS["default"]), {"waited": 3}), mode="cover", depth=8)


def test_a_shorter_wait_is_refuted():
    """A cycle less."""
    prove(BoundsSpec(Receiver(CONFIGS["default"]), {"waited": 2}), mode="bmc", depth=8, expect="fail")
