"""The node output port hands out words and the detour, and broken ones are refuted."""

# amaranth: UnusedElaboratable=no
import pytest

from cubecast.golden.packet.contract.config import PacketConfig
from cubecast.rtl.packet.node_output_port import NodeOutputPort
from cubecast.tb.harness.formal import prove
from tests.harness.altered import Altered
from tests.packet.node_output_port_spec import NodeOutputPortSpec

CONFIG = PacketConfig(dim=2, width=6, max_words=2)
THREE = PacketConfig(dim=3, width=7, max_words=1)
"""With two dimensions no two slots want the detour in one cycle: both links would be faulty, and there is none."""


class LoadsTheLowest(Altered):
    """Of the slots that a word names the lowest takes it."""

    unit = NodeOutputPort

    def alter(self, m, inner):
        """Hide the others."""
        m.d.comb += inner.inject.slots.eq(self.inject.slots & -self.inject.slots)
        return ("inject__slots",)


class ShowsItTwice(Altered):
    """A packet on the detour is shown by its slot too."""

    unit = NodeOutputPort

    def alter(self, m, inner):
        """Copy what is shown."""
        m.d.comb += self.slot[0].flit.valid.eq(inner.slot[0].flit.valid | inner.detour.flit.valid)
        return ("slot__0__flit__valid",)


class SendsTheOther(Altered):
    """On the detour the data of slot 0 leaves, whosever packet it is."""

    unit = NodeOutputPort

    def alter(self, m, inner):
        """Show them."""
        m.d.comb += self.detour.flit.data.eq(inner.slot[0].flit.data)
        return ("detour__flit__data",)


class DoesNotWait(Altered):
    """On the detour a word is gone in a cycle, taken or not."""

    unit = NodeOutputPort

    def alter(self, m, inner):
        """Take it."""
        m.d.comb += inner.detour.flit.ready.eq(1)
        return ("detour__flit__ready",)


class HidesARefusal(Altered):
    """A packet that is refused on the detour goes on."""

    unit = NodeOutputPort

    def alter(self, m, inner):
        """Hide it."""
        return ("detour__refused",)


class NeverTurns(NodeOutputPort):
    """Slot 0 has the detour before slot 1, and this before slot 2, whoever had it last."""

    def elaborate(self, platform):
        """Hold the turn."""
        m = super().elaborate(platform)
        m.d.comb += m.submodules.arbiter.advance.eq(0)
        return m


@pytest.mark.parametrize("config", [CONFIG, THREE])
def test_node_output_port_is_proven(config):
    """All slots or none, one way for each packet, turns at the detour: for all time."""
    prove(NodeOutputPortSpec(config), depth=2, unroll=False)


def test_the_longest_wait_for_the_detour_is_reached():
    """Two others have it before."""
    prove(NodeOutputPortSpec(THREE), mode="cover", depth=14)


@pytest.mark.parametrize("broken", [LoadsTheLowest, ShowsItTwice, SendsTheOther, DoesNotWait, HidesARefusal])
def test_broken_node_output_port_is_refuted(broken):
    """A broadcast that is loaded once; a packet that leaves twice, is mixed with another, or not waited for."""
    prove(NodeOutputPortSpec(CONFIG, broken), mode="bmc", depth=8, expect="fail")


def test_a_turn_that_never_changes_is_refuted():
    """A slot waits for three others, which the invariants about the arbiter are not needed to see."""
    prove(NodeOutputPortSpec(THREE, NeverTurns, inductive=False), mode="bmc", depth=9, expect="fail")
