"""What enters one of two joined routers leaves one of them, once for each destination, or a loss is reported; routers
that lose or double words are refuted."""

# amaranth: UnusedElaboratable=no
import pytest

from cubecast.golden.crosspoint.contract.config import CrosspointConfig
from cubecast.rtl.crosspoint.router import CrosspointRouter
from cubecast.tb.harness.formal import prove
from tests.crosspoint.joined_copies_spec import JoinedCopiesSpec
from tests.crosspoint.joined_faults_spec import JoinedFaultsSpec
from tests.crosspoint.joined_spec import JoinedSpec
from tests.harness.altered import Altered


def config(dim=2, runs=2, *, multicast=False, faults=False):
    """Return the parameters of a router with the smallest queues that packets of two words leave room in."""
    small = {"depth": 4, "packet_limit": 2, "eject_depth": 4, "pause_limit": 0, "log_depth": 0, "counters": 0}
    return CrosspointConfig(dim=dim, width=8, runs=runs, multicast=multicast, fault_tolerant=faults, **small)


class Doubles(Altered):
    """What goes on over link 1 is for the node, too."""

    unit = CrosspointRouter

    def alter(self, m, inner):
        """Push it into the ejection queue."""
        push = self.link_in[0].push
        m.d.comb += inner.link_in[0].push.eq(push | (push[1] << self.config.dim))
        return ("link_in__0__push",)


class Loses(Altered):
    """Last words of longer packets go nowhere."""

    unit = CrosspointRouter

    def alter(self, m, inner):
        """Push heads and words between alone."""
        word = self.link_in[0]
        m.d.comb += inner.link_in[0].push.eq(word.push & (word.head | ~word.last).replicate(len(word.push)))
        return ("link_in__0__push",)


@pytest.mark.soak
@pytest.mark.parametrize("dim", [2, 3])
@pytest.mark.parametrize("runs", [1, 2])
def test_joined_routers_are_proven(dim, runs):
    """Queues, next sets, outputs, inputs and ports of both, for all time."""
    prove(JoinedSpec(config(dim, runs)), depth=1, timeout=1800)


def test_a_word_leaves_while_a_queue_is_full():
    """The statements are not empty."""
    prove(JoinedSpec(config()), mode="cover", depth=12)


@pytest.mark.soak
@pytest.mark.parametrize("broken", [Doubles, Loses])
def test_broken_routers_are_refuted(broken):
    """A copy too many, and one too few."""
    prove(JoinedSpec(config(), broken), mode="bmc", depth=9, expect="fail", timeout=900)


@pytest.mark.soak
@pytest.mark.parametrize("runs", [1, 2])
def test_each_destination_of_a_packet_gets_one_copy(runs):
    """Unicasts, subcubes and bitmaps of at most two words, in the first cycles after reset."""
    prove(JoinedCopiesSpec(config(runs=runs, multicast=True)), mode="bmc", depth=8, timeout=1800)


@pytest.mark.soak
@pytest.mark.parametrize("runs", [1, 2])
def test_what_is_lost_to_faults_is_reported(runs):
    """Links are declared faulty and repaired at any time, in the first cycles after reset; nothing is doubled."""
    prove(JoinedFaultsSpec(config(runs=runs, faults=True)), mode="bmc", depth=8, timeout=1800)


@pytest.mark.core
@pytest.mark.parametrize("spec", [JoinedCopiesSpec, JoinedFaultsSpec])
def test_copies_come_and_words_are_lost_within_that(spec):
    """A broadcast gets to all of its destinations; a word is lost, and one gets through beside a loss."""
    faults = spec is JoinedFaultsSpec
    prove(spec(config(multicast=not faults, faults=faults)), mode="cover", depth=8, timeout=1800)


@pytest.mark.soak
@pytest.mark.parametrize("broken", [Doubles, Loses])
@pytest.mark.parametrize("spec", [JoinedCopiesSpec, JoinedFaultsSpec])
def test_broken_routers_are_refuted_with_copies_and_faults(spec, broken):
    """A copy too many, and one too few that nobody reports."""
    faults = spec is JoinedFaultsSpec
    design = spec(config(multicast=not faults, faults=faults), broken)
    prove(design, mode="bmc", depth=8, expect="fail", timeout=1800)
