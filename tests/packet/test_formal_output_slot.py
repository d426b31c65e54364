"""A buffer slot sends what was loaded, and broken ones are refuted."""

# amaranth: UnusedElaboratable=no
import pytest

from cubecast.golden.packet.contract.config import PacketConfig
from cubecast.rtl.packet.output_slot import OutputSlot
from cubecast.tb.harness.formal import prove
from tests.harness.altered import Altered
from tests.packet.output_slot_spec import OutputSlotSpec

CONFIG = PacketConfig(dim=2, width=6, max_words=3)


class ForgetsTheRefused(Altered):
    """A packet that is refused is not sent again."""

    unit = OutputSlot

    def alter(self, m, inner):
        """Let it go on into nothing."""
        m.d.comb += inner.refused.eq(0)
        return ("refused",)


class LoadsOne(Altered):
    """What is loaded while a packet begins to be sent is lost."""

    unit = OutputSlot

    def alter(self, m, inner):
        """Hide it."""
        m.d.comb += inner.load.eq(self.load & ~(inner.accept & self.last))
        return ("load",)


@pytest.mark.parametrize(
    "config",
    [
        CONFIG,
        pytest.param(PacketConfig(dim=2, width=6, max_words=2, routing="fixed"), marks=pytest.mark.soak),
        pytest.param(PacketConfig(dim=3, width=16), marks=pytest.mark.soak),
    ],
)
def test_output_slot_is_proven(config):
    """Whole, unchanged, in order, once, or reported: for all time."""
    prove(OutputSlotSpec(config), depth=2, unroll=False)


def test_the_statements_are_not_empty():
    """A packet is complete in the cycle in which another has left; one of two is dropped."""
    prove(OutputSlotSpec(CONFIG), mode="cover", depth=10)


@pytest.mark.parametrize("broken", [ForgetsTheRefused, LoadsOne])
def test_broken_output_slot_is_refuted(broken):
    """A packet that is lost, before it was sent or while it is."""
    prove(OutputSlotSpec(CONFIG, broken), mode="bmc", depth=6, expect="fail")
