"""Gateways send whole messages and serve everybody, and broken ones are refuted."""

# amaranth: UnusedElaboratable=no
import pytest
from amaranth.hdl import Mux

from cubecast.golden.multicast.contract.config import Config
from cubecast.rtl.multicast.output_gateway import OutputGateway
from cubecast.tb.harness.formal import prove
from tests.harness.altered import Altered
from tests.harness.together import Together
from tests.multicast.output_gateway_spec import FairGatewaySpec, WholeMessagesSpec

CONFIGS = {"greedy": Config(dim=2, width=2), "ordered": Config(dim=2, width=2, policy="ordered")}
LARGER = {
    "one_lane": Config(dim=2, width=2, lanes=1),
    "greedy_3_lanes": Config(dim=2, width=2, lanes=3),
    "greedy_n3": Config(dim=3, width=3),
    "ordered_n3": Config(dim=3, width=3, policy="ordered"),
    "ordered_n4": Config(dim=4, width=4, policy="ordered"),
}
PLACES = [("greedy", False), ("greedy", True), ("ordered", False)]
LARGER_PLACES = [(name, local) for name in LARGER for local in (False, True)]


class LetsGo(Altered):
    """Unit 0 loses the gateway after every word."""

    unit = OutputGateway

    def alter(self, m, inner):
        """Let each of its words be the last, for the gateway alone."""
        m.d.comb += [inner.i[0].last.eq(1), self.last.eq(Mux(inner.i[0].ready, self.i[0].last, inner.last))]
        return "i__0__last", "last"


class IgnoresCut(Altered):
    """Words go out over a cut link."""

    unit = OutputGateway

    def alter(self, m, inner):
        """Hide the cut."""
        return ("cut",)


class IgnoresReady(Altered):
    """Messages start whether or not there is room for them."""

    unit = OutputGateway

    def alter(self, m, inner):
        """Let every lane be ready."""
        m.d.comb += inner.ready.eq(~0)
        return ("ready",)


class StaysInLane(Altered):
    """All messages go out in lane 0."""

    unit = OutputGateway

    def alter(self, m, inner):
        """Hide the lane."""
        return ("lane",)


class InjectionComesLast(Altered):
    """The injection unit is seen only when no other has a word."""

    unit = OutputGateway

    def alter(self, m, inner):
        """Hide its word."""
        *others, last = self.i
        busy = others[0].valid
        for other in others[1:]:
            busy = busy | other.valid
        m.d.comb += inner.i[-1].valid.eq(last.valid & ~busy)
        return (f"i__{len(others)}__valid",)


@pytest.mark.parametrize(("name", "local"), PLACES)
def test_messages_leave_whole(name, local):
    """No interleaving, grants held until ``last``, only the granted unit's words, only ready lanes: for all time."""
    prove(WholeMessagesSpec(CONFIGS[name], local=local), depth=3, unroll=False)


@pytest.mark.parametrize(("name", "local"), PLACES)
def test_waiting_is_bounded(name, local):
    """At most G L - 1 messages of others go first, for all time."""
    prove(FairGatewaySpec(CONFIGS[name], local=local), depth=3, unroll=False)


@pytest.mark.parametrize(("name", "local"), PLACES)
def test_the_statements_are_not_empty(name, local):
    """The injection unit sends a message of several words; the bound on waiting is reached."""
    specs = (spec(CONFIGS[name], local=local) for spec in (WholeMessagesSpec, FairGatewaySpec))
    prove(Together(*specs), mode="cover", depth=12)


@pytest.mark.soak
@pytest.mark.parametrize(("name", "local"), LARGER_PLACES)
def test_larger_gateways(name, local):
    """The same statements for more lanes and dimensions."""
    prove(WholeMessagesSpec(LARGER[name], local=local), depth=3)
    prove(FairGatewaySpec(LARGER[name], local=local), depth=3)


@pytest.mark.parametrize("broken", [LetsGo, IgnoresCut, IgnoresReady, StaysInLane])
def test_gateways_that_break_messages_are_refuted(broken):
    """Interleaved words, words into nothing and wrong lanes are found."""
    prove(WholeMessagesSpec(CONFIGS["greedy"], unit=broken), mode="bmc", depth=5, expect="fail")


def test_an_unfair_gateway_is_refuted():
    """A unit that is passed over too often is found."""
    prove(FairGatewaySpec(CONFIGS["greedy"], unit=InjectionComesLast), mode="bmc", depth=8, expect="fail")
