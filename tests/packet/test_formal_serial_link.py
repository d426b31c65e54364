"""Serializer and deserializer pass flits on unchanged, and broken ones are refuted."""

# amaranth: UnusedElaboratable=no
import pytest

from cubecast.golden.packet.contract.config import PacketConfig
from cubecast.rtl.packet.deserializer import Deserializer
from cubecast.rtl.packet.serializer import Serializer
from cubecast.tb.harness.formal import prove
from tests.harness.altered import Altered
from tests.packet.serial_link_spec import SerialLinkSpec

CONFIG = PacketConfig(dim=2, width=6, max_words=3, link="serial")


class StartsAtOnce(Altered):
    """A packet is sent whether the neighbour has room or not."""

    unit = Serializer

    def alter(self, m, inner):
        """Hide what the neighbour says."""
        return ("hold",)


class SendsTheMark(Altered):
    """The mark of a packet that ended early is sent as a word."""

    unit = Serializer

    def alter(self, m, inner):
        """Hide that it is one."""
        return ("i__bad",)


class RefusesInSilence(Altered):
    """A contrary packet is not taken, and its sender does not learn it."""

    unit = Deserializer

    def alter(self, m, inner):
        """Hold only what has not begun."""
        m.d.comb += self.hold.eq(inner.hold & ~self.ready)
        return ("hold",)


class LosesTheEnd(Altered):
    """That a packet ends early is not told."""

    unit = Deserializer

    def alter(self, m, inner):
        """Hide it."""
        return ("cut_short",)


@pytest.mark.parametrize("dim, width", [(2, 6), (3, 16)])
def test_serial_link_is_proven(dim, width):
    """What goes in comes out, in order, once: for all time."""
    prove(SerialLinkSpec(PacketConfig(dim=dim, width=width, max_words=3, link="serial")), depth=2)


def test_words_and_early_ends_are_reached():
    """A last word of ones comes out; a packet ends after its head while the next one begins."""
    prove(SerialLinkSpec(CONFIG), mode="cover", depth=30)


@pytest.mark.parametrize("broken", [StartsAtOnce, SendsTheMark])
def test_broken_serializer_is_refuted(broken):
    """A head without room, and a word that was none."""
    prove(SerialLinkSpec(CONFIG, sender=broken), mode="bmc", depth=22, expect="fail")


@pytest.mark.parametrize("broken", [RefusesInSilence, LosesTheEnd])
def test_broken_deserializer_is_refuted(broken):
    """A packet lost on the way, and one that never ends."""
    prove(SerialLinkSpec(CONFIG, receiver=broken), mode="bmc", depth=22, expect="fail")
