"""A multicast router among neighbours that do what they like; broken ones are refuted."""

# amaranth: UnusedElaboratable=no
import pytest
from amaranth.hdl import Signal

from cubecast.golden.multicast.contract.config import Config
from cubecast.rtl.multicast.router import Router
from cubecast.tb.harness.formal import prove
from tests.common.stands import Stands
from tests.harness.altered import Altered
from tests.multicast.router_spec import MulticastRouterSpec


def config(most=1):
    """Return the parameters of the smallest router that splits lists of so many."""
    sizes = {"width": 2, "max_dest": most, "max_list": most, "max_data": 1, "log_depth": 0, "counters": 0}
    return Config(dim=2, fault_tolerant=False, lanes=1, **sizes)


BOUND = 18
"""Cycles after which a unit is free again, if nothing outside makes its message wait."""


class Loses(Altered):
    """A message for link 1 that begins while one passes link 0 goes nowhere."""

    unit = Router

    def alter(self, m, inner):
        """Hide it, from its first word to its last."""
        here, there = inner.link_out
        inside, lost, hidden = Signal(), Signal(), Signal()
        with m.If(there.valid):
            m.d.sync += [inside.eq(~there.last), lost.eq(hidden)]
        with m.If(inside):
            m.d.comb += hidden.eq(lost)
        with m.Else():
            m.d.comb += hidden.eq(here.valid)
        m.d.comb += self.link_out[1].valid.eq(there.valid & ~hidden)
        return ("link_out__1__valid",)


class LosesTheSecond(Altered):
    """Of the messages for link 1 the second one goes nowhere, nor do those after it."""

    unit = Router

    def alter(self, m, inner):
        """Hide them."""
        there = inner.link_out[1]
        hidden = Signal()
        with m.If(there.valid & there.last):
            m.d.sync += hidden.eq(1)
        m.d.comb += self.link_out[1].valid.eq(there.valid & ~hidden)
        return ("link_out__1__valid",)


class Repeats(Altered):
    """The node gets every word twice."""

    unit = Router

    def alter(self, m, inner):
        """Take it in every other cycle."""
        second = Signal()
        with m.If(inner.eject.valid & self.eject.ready):
            m.d.sync += second.eq(~second)
        m.d.comb += inner.eject.ready.eq(self.eject.ready & second)
        return ("eject__ready",)


class Mistakes(Altered):
    """It takes itself for its neighbour."""

    unit = Router

    def alter(self, m, inner):
        """Invert a bit of the address."""
        m.d.comb += inner.address.eq(self.address ^ 1)
        return ("address",)


class Overruns(Altered):
    """Copies for link 1 begin whether it is ready or not."""

    unit = Router

    def alter(self, m, inner):
        """Say that it always is."""
        m.d.comb += inner.link_out[1].ready.eq(1)
        return ("link_out__1__ready",)


class Whitewashes(Altered):
    """What the node gets has no ``error``."""

    unit = Router

    def alter(self, m, inner):
        """Hide it."""
        return ("eject__error",)


class StandsStill(Stands):
    """Messages wait for others."""

    unit = Router


def test_a_message_passes():
    """The word that is followed leaves, and the unit is free again."""
    prove(MulticastRouterSpec(config()), mode="cover", depth=12, unroll=True)


@pytest.mark.soak
@pytest.mark.parametrize("most", [1, 2])
def test_multicast_router_keeps_its_messages(most):
    """None lost, doubled or sent astray, for any destination, for all time."""
    prove(MulticastRouterSpec(config(most)), mode="pdr", timeout=3600)


@pytest.mark.parametrize(
    ("broken", "depth"),
    [
        (Repeats, 8),
        (Overruns, 8),
        (Whitewashes, 10),
        pytest.param(Mistakes, 8, marks=pytest.mark.soak),
        pytest.param(Loses, 10, marks=pytest.mark.soak),
    ],
)
def test_broken_multicast_router_is_refuted(broken, depth):
    """A word too many, one without room at its link, one whose error is lost, a copy that leads farther, a message
    too few."""
    prove(MulticastRouterSpec(config(), broken), mode="bmc", depth=depth, expect="fail")


@pytest.mark.soak
def test_a_message_that_is_lost_later_is_refuted():
    """By the search that is for all time."""
    prove(MulticastRouterSpec(config(), LosesTheSecond), mode="pdr", expect="fail", timeout=3600)


@pytest.mark.soak
def test_messages_wait_for_a_bounded_time():
    """The unit is free again 18 cycles after the last word, in the first 28 cycles."""
    prove(MulticastRouterSpec(config(), bound=BOUND), mode="bmc", depth=28, timeout=3600)


@pytest.mark.soak
def test_a_message_waits_for_another():
    """It leaves, later than it would alone."""
    prove(MulticastRouterSpec(config(), bound=BOUND), mode="cover", depth=18, timeout=3600)


@pytest.mark.soak
def test_a_message_that_waits_for_ever_is_refuted():
    """It would leave if others came."""
    spec = MulticastRouterSpec(config(), StandsStill, bound=BOUND)
    prove(spec, mode="bmc", depth=24, expect="fail", timeout=3600)
