"""The arbiter tree serves everybody; broken ones are refuted."""

# amaranth: UnusedElaboratable=no
import pytest

from cubecast.golden.packet.contract.config import PacketConfig
from cubecast.rtl.packet.tree_arbiter import TreeArbiter
from cubecast.tb.harness.formal import prove
from tests.harness.altered import Altered
from tests.packet.tree_arbiter_spec import TreeArbiterSpec

CONFIG = PacketConfig(dim=2, width=6)


class FirstKeepsItsTurn(Altered):
    """A grant to the first requester does not count."""

    unit = TreeArbiter

    def alter(self, m, inner):
        """Hide the advance."""
        m.d.comb += inner.advance.eq(self.advance & ~inner.grant[0])
        return ("advance",)


class NeverClosed(Altered):
    """The receiver is not asked."""

    unit = TreeArbiter

    def alter(self, m, inner):
        """Be open."""
        m.d.comb += inner.open.eq(1)
        return ("open",)


@pytest.mark.parametrize("count", [2, 3, 5, 7])
def test_tree_arbiter_is_proven(count):
    """At most one grant, only to a request, none while closed, at most 2^D - 1 others first: for all time."""
    prove(TreeArbiterSpec(CONFIG, count), depth=2)


def test_the_bound_of_the_arbiter_is_reached():
    """No smaller number would hold for five requesters."""
    prove(TreeArbiterSpec(CONFIG, 5), mode="cover", depth=18)


@pytest.mark.parametrize("broken", [FirstKeepsItsTurn, NeverClosed])
def test_broken_tree_arbiter_is_refuted(broken):
    """Somebody starves; a grant to a receiver that has no room."""
    prove(TreeArbiterSpec(CONFIG, 3, broken), mode="bmc", depth=8, expect="fail")
