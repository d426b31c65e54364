"""Units proven equal to plain statements of their job, and broken designs refuted by the same statements."""

# amaranth: UnusedElaboratable=no
import dataclasses

import pytest
from amaranth.hdl import Cat, Signal

from cubecast.golden.common.contract.units import Requests
from cubecast.golden.multicast.contract.config import Config
from cubecast.golden.multicast.contract.states import State
from cubecast.rtl.common.arbiter import Arbiter
from cubecast.rtl.multicast.broadcaster_fault_free import BroadcasterFaultFree
from cubecast.rtl.multicast.broadcaster_fault_tolerant import BroadcasterFaultTolerant
from cubecast.rtl.multicast.controller import Controller
from cubecast.rtl.multicast.eligibility import Eligibility
from cubecast.rtl.multicast.multicaster import Multicaster
from cubecast.rtl.multicast.shared_multicaster import SharedMulticaster
from cubecast.rtl.multicast.traffic_checker import TrafficChecker
from cubecast.tb.harness.formal import prove
from tests.common.arbiter_spec import ArbiterSpec
from tests.harness.altered import Altered
from tests.harness.together import Together
from tests.multicast.broadcaster_spec import FaultFreeSpec, FaultTolerantSpec
from tests.multicast.controller_spec import SharedControllerSpec
from tests.multicast.multicaster_spec import EligibilitySpec, MulticasterSpec
from tests.multicast.shared_multicaster_spec import SharedMulticasterSpec
from tests.multicast.traffic_checker_spec import TrafficCheckerSpec

SIZES = {"n2m1": Config(dim=2, max_dest=1), "n3m4": Config(dim=3, max_dest=4), "n4m6": Config(dim=4, max_dest=6)}
ORDERED = {"policy": "ordered", "lanes": 2}
SHARED = {
    "n2": Config(dim=2, max_dest=1, multicasters="channel"),
    "n3": Config(dim=3, max_dest=2, multicasters="channel"),
    "n2_latency2": Config(dim=2, max_dest=1, decision_latency=2, multicasters="channel"),
    "n3_latency2": Config(dim=3, max_dest=2, decision_latency=2, multicasters="channel"),
}
ONCE = {"mode": "bmc", "depth": 1}
COVERED = {"mode": "cover", "depth": 1}


class HighestTie(Altered):
    """The highest dimension wins a tie: the unit with its columns mirrored."""

    unit = Multicaster

    def alter(self, m, inner):
        """Mirror the columns."""
        n = self.config.dim
        rows = [self.a.word_select(i, n)[::-1] for i in range(self.config.max_dest)]
        m.d.comb += [inner.a.eq(Cat(rows)), inner.fault.eq(self.fault[::-1]), self.y.eq(inner.y[::-1])]
        return "a", "fault", "y"


class ForgetsFault(Altered):
    """The fault bit of the last dimension is not masked."""

    unit = Multicaster

    def alter(self, m, inner):
        """Hide one fault bit."""
        m.d.comb += inner.fault.eq(self.fault[:-1])
        return ("fault",)


class ForgetsRow(Altered):
    """The last row is never taken along."""

    unit = Multicaster

    def alter(self, m, inner):
        """Hide one row."""
        m.d.comb += self.r.eq(inner.r[:-1])
        return ("r",)


class FailsOnce(Altered):
    """What was wrong is told of in one cycle only."""

    unit = TrafficChecker

    def alter(self, m, inner):
        """Forget it."""
        told = Signal()
        m.d.sync += told.eq(inner.failed)
        m.d.comb += self.failed.eq(inner.failed & ~told)
        return ("failed",)


class NeverPasses(Altered):
    """A lane that asks keeps the turn when it has decided."""

    unit = SharedMulticaster

    def alter(self, m, inner):
        """Hide the decisions."""
        m.d.comb += inner.decides.eq(0)
        return ("decides",)


class OffersTwo(Altered):
    """Whoever asks in lane 0 is offered the choice beside the one that has the turn."""

    unit = SharedMulticaster

    def alter(self, m, inner):
        """Add an offer."""
        m.d.comb += self.offered.eq(inner.offered | self.asks[0])
        return ("offered",)


class ForgetsLane(Altered):
    """All lanes get the choice for the rows of lane 0."""

    unit = SharedMulticaster

    def alter(self, m, inner):
        """Hide all other rows."""
        m.d.comb += [votes.eq(self.votes[0]) for votes in inner.votes]
        return ("votes",)


class AsksOverCopies(Altered):
    """A unit asks while its rows wait for its own copies."""

    unit = Controller

    def alter(self, m, inner):
        """Ask whenever rows are left."""
        m.d.comb += self.asks.eq(inner.state[1] & self.multicast & ~self.terminate)
        return ("asks",)


class AsksLate(Altered):
    """Rows that come back when all others have been decided on ask for nothing."""

    unit = Controller

    def alter(self, m, inner):
        """Ask in one of the two states."""
        m.d.comb += self.asks.eq(inner.asks & (inner.state == State.PROCESSING))
        return ("asks",)


class DecidesUnasked(Altered):
    """Whatever is there is launched, offered or not."""

    unit = Controller

    def alter(self, m, inner):
        """Pretend that the choice stands ready."""
        m.d.comb += inner.chosen.eq(1)
        return ("chosen",)


class NeverAdvances(Altered):
    """The pointer stays: the lowest request always wins."""

    unit = Arbiter

    def alter(self, m, inner):
        """Hide ``advance``; show a register to the specification."""
        self.behind = Signal(inner.count - 1)
        m.d.comb += inner.advance.eq(0)
        return ("advance",)


class GrantsTwo(Altered):
    """The first requester is granted beside the one chosen."""

    unit = Arbiter

    def alter(self, m, inner):
        """Add a grant; show a register to the specification."""
        self.behind = Signal(inner.count - 1)
        m.d.comb += self.grant.eq(inner.grant | (self.request[0]))
        return ("grant",)


class SourceTooFar(Altered):
    """The top bit of the source address is not looked at."""

    unit = BroadcasterFaultFree

    def alter(self, m, inner):
        """Hide one bit."""
        m.d.comb += inner.source.eq(self.source[:-1])
        return ("source",)


class KeepsNoFault(Altered):
    """The control vectors drop the faulty dimensions: what lies behind them is lost."""

    unit = BroadcasterFaultTolerant

    def alter(self, m, inner):
        """Clear the faulty dimensions in every vector."""
        m.d.comb += self.controls.eq(inner.controls & ~self.fault.replicate(self.config.dim))
        return ("controls",)


class KeepsLower(Altered):
    """The control vectors keep all dimensions: nodes get two copies."""

    unit = BroadcasterFaultTolerant

    def alter(self, m, inner):
        """Hand on the vector as received."""
        m.d.comb += self.controls.eq(self.control.replicate(self.config.dim))
        return ("controls",)


class ForgetsDescent(Altered):
    """No hop counts as clearing a bit: rows set bits before they have cleared all."""

    unit = Eligibility

    def alter(self, m, inner):
        """Hide the address."""
        m.d.comb += inner.address.eq(0)
        return ("address",)


class WaitsForFault(Altered):
    """Rows vote for nothing but clearing, though the only hop that clears a bit is faulty."""

    unit = Eligibility

    def alter(self, m, inner):
        """Hide the fault vector from the choice, and mask with it afterwards."""
        m.d.comb += [inner.fault.eq(0), self.votes.eq(inner.votes & ~self.fault.replicate(self.config.max_dest))]
        return "fault", "votes"


class DescendsAtWill(Altered):
    """Every hop that can be made is voted for."""

    unit = Eligibility

    def alter(self, m, inner):
        """Hand on the array."""
        m.d.comb += self.votes.eq(self.a & ~self.fault.replicate(self.config.max_dest))
        return ("votes",)


class ForgetsOrder(Altered):
    """The dimensions are served in ascending order, whatever the address is."""

    unit = BroadcasterFaultTolerant

    def alter(self, m, inner):
        """Hide the address."""
        m.d.comb += inner.address.eq(0)
        return ("address",)


class OrderOfThisNode(Altered):
    """The order is that of the local address, not of the source's."""

    unit = BroadcasterFaultFree

    def alter(self, m, inner):
        """Let the source's address come out as the local one."""
        m.d.comb += inner.address.eq(self.address ^ self.source)
        return ("address",)


@pytest.mark.parametrize("size", SIZES)
def test_multicaster_is_proven(size):
    """Argmax of the masked column sums, the lowest of equals; the rows that have the bit."""
    prove(MulticasterSpec(SIZES[size]), mode="bmc", depth=1)


def test_ties_and_ways_out_are_reached():
    """Columns tie beside a faulty one with all votes; rows vote for setting, as what clears a bit is faulty."""
    eligibility = (EligibilitySpec(dataclasses.replace(SIZES[size], **ORDERED)) for size in ("n2m1", "n3m4"))
    prove(Together(MulticasterSpec(SIZES["n2m1"]), MulticasterSpec(SIZES["n3m4"]), *eligibility), **COVERED)


def test_a_tie_of_the_cycle_before_is_reached():
    """The same with registers."""
    prove(MulticasterSpec(dataclasses.replace(SIZES["n3m4"], decision_latency=2)), mode="cover", depth=2)


@pytest.mark.parametrize("size", ["n2m1", "n3m4"])
def test_multicaster_with_registers_is_proven(size):
    """The same of the cycle before, with the rows of this one."""
    prove(MulticasterSpec(dataclasses.replace(SIZES[size], decision_latency=2)), depth=2)


@pytest.mark.parametrize("broken", [HighestTie, ForgetsFault, ForgetsRow])
def test_broken_multicaster_is_refuted(broken):
    """The statement tells the lowest of equals, every fault bit and every row."""
    prove(MulticasterSpec(SIZES["n3m4"], broken), mode="bmc", depth=1, expect="fail")


@pytest.mark.parametrize("size", SHARED)
def test_shared_multicaster_is_proven(size):
    """Each lane gets its own choice, after L - 1 decisions of others at most, for all time."""
    prove(SharedMulticasterSpec(SHARED[size]), depth=2)


@pytest.mark.parametrize("size", ["n3", "n3_latency2"])
def test_the_bound_of_the_shared_multicaster_is_reached(size):
    """No smaller number would hold."""
    prove(SharedMulticasterSpec(SHARED[size]), mode="cover", depth=10)


@pytest.mark.parametrize("broken", [NeverPasses, OffersTwo, ForgetsLane])
def test_broken_shared_multicaster_is_refuted(broken):
    """A turn that is not passed on, two offers and a choice for others are found."""
    prove(SharedMulticasterSpec(SHARED["n3"], broken), mode="bmc", depth=8, expect="fail")


def test_units_ask_for_what_they_take():
    """Whoever asks decides as soon as the choice stands ready, and nobody else does, but where a header ends."""
    prove(SharedControllerSpec(SHARED["n2"]), depth=1)


def test_units_ask_decide_and_wait():
    """Rows that come back are decided on, a header's first ones in its last cycle, and some wait for copies."""
    prove(SharedControllerSpec(SHARED["n2"]), mode="cover", depth=6)


@pytest.mark.parametrize("broken", [AsksOverCopies, AsksLate, DecidesUnasked])
def test_broken_asking_is_refuted(broken):
    """A unit that keeps the turn while it waits, one that needs it and does not ask, and one that does not wait."""
    prove(SharedControllerSpec(SHARED["n2"], broken), mode="bmc", depth=8, expect="fail")


def test_arbiter_is_proven():
    """One grant at a time, only to requests, and a bounded wait, for all time."""
    prove(ArbiterSpec(Requests(count=5)), depth=3)


def test_the_bound_of_the_arbiter_is_reached():
    """No smaller number would hold."""
    prove(ArbiterSpec(Requests(count=5)), mode="cover", depth=8)


@pytest.mark.parametrize("broken", [NeverAdvances, GrantsTwo])
def test_broken_arbiter_is_refuted(broken):
    """Starvation and double grants are found."""
    prove(ArbiterSpec(Requests(count=5), broken), mode="bmc", depth=8, expect="fail")


@pytest.mark.parametrize("policy", ["greedy", "ordered"])
def test_broadcasters_are_proven(policy):
    """n = 2 to 5: the loop of the published algorithm; each node gets one copy, the unreachable ones none."""
    configs = [Config(dim=dim, policy=policy) for dim in (2, 3, 4, 5)]
    specs = [spec(config) for spec in (FaultFreeSpec, FaultTolerantSpec) for config in configs]
    prove(Together(*specs), mode="bmc", depth=1)


def test_faults_of_a_broadcast_are_reached():
    """A node beside a faulty link is reached, another one is cut off."""
    configs = [Config(dim=dim, policy=policy) for dim in (2, 3) for policy in ("greedy", "ordered")]
    prove(Together(*(spec(config) for spec in (FaultFreeSpec, FaultTolerantSpec) for config in configs)), **COVERED)


@pytest.mark.parametrize("broken", [SourceTooFar, KeepsNoFault, KeepsLower])
def test_broken_broadcasters_are_refuted(broken):
    """Missing and double copies are found."""
    spec = FaultFreeSpec if broken is SourceTooFar else FaultTolerantSpec
    prove(spec(SIZES["n3m4"], broken), mode="bmc", depth=1, expect="fail")


def test_eligibility_is_proven():
    """n = 2 to 5: first the hops that clear a bit, then those that set one, none over a faulty link."""
    configs = [*SIZES.values(), Config(dim=5)]
    prove(Together(*(EligibilitySpec(dataclasses.replace(config, **ORDERED)) for config in configs)), **ONCE)


@pytest.mark.parametrize("broken", [ForgetsDescent, WaitsForFault, DescendsAtWill])
def test_broken_eligibility_is_refuted(broken):
    """A wrong order, a missing way out and too many hops are found."""
    prove(EligibilitySpec(dataclasses.replace(SIZES["n3m4"], **ORDERED), broken), **ONCE, expect="fail")


@pytest.mark.parametrize("broken", [ForgetsOrder, OrderOfThisNode])
def test_broken_order_is_refuted(broken):
    """An order that is not that of the address is found."""
    spec = FaultTolerantSpec if broken is ForgetsOrder else FaultFreeSpec
    prove(spec(dataclasses.replace(SIZES["n3m4"], **ORDERED), broken), **ONCE, expect="fail")


def test_a_traffic_checker_tells_what_it_counts():
    """All bits of both counters."""
    prove(TrafficCheckerSpec(SIZES["n2m1"]), depth=1)


def test_what_a_traffic_checker_counts_is_reached():
    """One of either."""
    prove(TrafficCheckerSpec(SIZES["n2m1"]), mode="cover", depth=5)


def test_a_traffic_checker_that_forgets_is_refuted():
    """It tells of the first error."""
    prove(TrafficCheckerSpec(SIZES["n2m1"], FailsOnce), mode="bmc", depth=6, expect="fail")
