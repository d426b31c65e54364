"""The sender of the collectives composes whole messages and is free again after each; broken ones are refuted."""

# amaranth: UnusedElaboratable=no
import pytest

from cubecast.golden.collective.contract.config import CollectiveConfig
from cubecast.golden.multicast.contract.config import Config
from cubecast.rtl.collective.sender import CollectiveSender
from cubecast.tb.harness.formal import prove
from tests.collective.sender_spec import CollectiveSenderSpec
from tests.harness.altered import Altered
from tests.harness.together import Together

ROUTER = {"width": 16, "max_data": 4}
CONFIG = CollectiveConfig(router=Config(dim=2, max_dest=2, **ROUTER), max_vector=3)
FORMATS = [
    CollectiveConfig(router=Config(dim=2, max_dest=2, fault_tolerant=False, **ROUTER), max_vector=2),
    CollectiveConfig(router=Config(dim=3, max_dest=3, source_field=True, **ROUTER), max_vector=3),
]


class OneTooMany(Altered):
    """A word too many of the memory is sent."""

    unit = CollectiveSender

    def alter(self, m, inner):
        """Ask for more."""
        m.d.comb += inner.length.eq(self.length + 1)
        return ("length",)


class ListsTheNode(Altered):
    """A message to a member far away goes to the neighbours."""

    unit = CollectiveSender

    def alter(self, m, inner):
        """Hide that it is far."""
        m.d.comb += inner.distant.eq(0)
        return ("distant",)


class Withdraws(Altered):
    """A word on offer is withdrawn while another message is asked for."""

    unit = CollectiveSender

    def alter(self, m, inner):
        """Hide it, from both sides."""
        m.d.comb += [self.o.valid.eq(inner.o.valid & ~self.start), inner.o.ready.eq(self.o.ready & ~self.start)]
        return ("o__valid", "o__ready")


class CutUnseen(Altered):
    """An abort in the cycle in which a word moves is not seen."""

    unit = CollectiveSender

    def alter(self, m, inner):
        """Hide it."""
        m.d.comb += inner.cut_short.eq(self.cut_short & ~self.o.ready)
        return ("cut_short",)


class NeverEnds(Altered):
    """What is passed on has no end."""

    unit = CollectiveSender

    def alter(self, m, inner):
        """Hide the end."""
        m.d.comb += inner.pass_last.eq(0)
        return ("pass_last",)


class PopsTooOften(Altered):
    """A word passed on is popped before it is taken."""

    unit = CollectiveSender

    def alter(self, m, inner):
        """Pop whatever is on offer."""
        m.d.comb += self.pop.eq(inner.pop | (inner.o.valid & self.pass_valid & ~inner.idle & self.pass_last))
        return ("pop",)


def test_collective_sender_is_proven():
    """Messages whole, words steady, free again after n + 5 + V words at most: for all time."""
    prove(CollectiveSenderSpec(CONFIG), depth=2, unroll=False)


def test_the_statements_are_not_empty():
    """A list of two with words of the memory, a word passed on as the last one, an end after an abort."""
    prove(CollectiveSenderSpec(CONFIG, purpose="reach"), mode="cover", depth=12)


def test_broken_senders_are_refuted():
    """All planted bugs violate a claim."""
    broken = [ListsTheNode, Withdraws, CutUnseen]
    prove(Together(*(CollectiveSenderSpec(CONFIG, unit, purpose="refute") for unit in broken)), mode="cover", depth=6)


@pytest.mark.soak
def test_collective_sender_is_proven_in_all_formats():
    """The same for the fault-free format, and with the source word and three dimensions."""
    prove(Together(*map(CollectiveSenderSpec, FORMATS)), depth=2)


@pytest.mark.soak
def test_more_broken_senders_are_refuted():
    """All planted bugs violate a claim."""
    refuted = [CollectiveSenderSpec(CONFIG, unit, purpose="refute") for unit in (OneTooMany, NeverEnds, PopsTooOften)]
    prove(Together(*refuted), mode="cover", depth=12)
