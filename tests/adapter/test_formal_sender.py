"""The adapter offers whole packets with legal headers to its router, and broken ones are refuted."""

# amaranth: UnusedElaboratable=no
import pytest

from cubecast.golden.adapter.contract.config import AdapterConfig
from cubecast.golden.crosspoint.contract.config import CrosspointConfig
from cubecast.rtl.adapter.emitter import Emitter
from cubecast.rtl.adapter.planner import Planner
from cubecast.tb.harness.formal import prove
from tests.adapter.sender_spec import SenderSpec
from tests.harness.altered import Altered


def config(fault_entries=1, **router):
    """Return the parameters of a small node."""
    parameters = {"dim": 2, "width": 8, "depth": 8, "packet_limit": 3} | router
    return AdapterConfig(router=CrosspointConfig(**parameters), fault_entries=fault_entries)


CONFIGS = {
    "default": config(),
    "short": config(packet_limit=2),
    "one_run": config(runs=1, fault_tolerant=False),
    "plain": config(multicast=False, fault_entries=0),
}


class NamesItself(Altered):
    """A bitmap packet names its source."""

    unit = Planner

    def alter(self, m, inner):
        """Set its bit."""
        m.d.comb += self.order.bitmap.eq(inner.order.bitmap | 1)
        return ("order__bitmap",)


class TakesTurnsEarly(Altered):
    """An order goes while a packet of it is under way, when another packet is to be sent on."""

    unit = Planner

    def alter(self, m, inner):
        """Take it for carried out."""
        m.d.comb += inner.order.ready.eq(self.order.ready | self.relay.valid)
        return ("order__ready",)


class LosesLast(Altered):
    """The last word of a packet does not wait for the router."""

    unit = Emitter

    def alter(self, m, inner):
        """Take it for taken."""
        m.d.comb += inner.inject.ready.eq(self.inject.ready | inner.inject.last)
        return ("inject__ready",)


@pytest.mark.parametrize("name", CONFIGS)
def test_sender_is_proven(name):
    """Legal heads, no pause, P words at most, for all time."""
    prove(SenderSpec(CONFIGS[name]), depth=2, unroll=False)


@pytest.mark.soak
def test_sender_of_three_dimensions_is_proven():
    """The same with words of 11 bits, the narrowest there."""
    prove(SenderSpec(config(dim=3, width=11)), depth=2, timeout=1800)


def test_the_longest_packets_are_reached():
    """Those of every kind, and one that is sent on."""
    prove(SenderSpec(CONFIGS["default"]), mode="cover", depth=8)


@pytest.mark.parametrize(
    "broken", [{"planner": NamesItself}, {"planner": TakesTurnsEarly}, {"emitter": LosesLast}, {"own": True}]
)
def test_broken_sender_is_refuted(broken):
    """A source that is named, a packet that stops, a word that is lost, a chunk for the node itself."""
    prove(SenderSpec(CONFIGS["default"], **broken), mode="bmc", depth=8, expect="fail")
